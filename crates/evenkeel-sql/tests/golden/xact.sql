-- Transaction ids and what snapshots see of them: xid8, pg_snapshot and txid_snapshot.

select '010'::xid8, '0x1f'::xid8, '-1'::xid8, ' 5 '::xid8, '18446744073709551615'::xid8;
--|  xid8 | xid8 |         xid8         | xid8 |         xid8
--| ------+------+----------------------+------+----------------------
--|     8 |   31 | 18446744073709551615 |    5 | 18446744073709551615
--| (1 row)
select '5x'::xid8;
--| ERROR:  22P02: invalid input syntax for type xid8: "5x"
select ''::xid8;
--| ERROR:  22P02: invalid input syntax for type xid8: ""
select '08'::xid8;
--| ERROR:  22P02: invalid input syntax for type xid8: "08"
select '18446744073709551616'::xid8;
--| ERROR:  22003: value "18446744073709551616" is out of range for type xid8
select 5::xid8;
--| ERROR:  42846: cannot cast type integer to xid8
select '5'::xid8::int8;
--| ERROR:  42846: cannot cast type xid8 to bigint
select '5'::xid8 = 5;
--| ERROR:  42883: operator does not exist: xid8 = integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select '4294967301'::xid8::xid, '5'::xid8::text, '5'::text::xid8;
--|  xid | text | xid8
--| -----+------+------
--|    5 | 5    |    5
--| (1 row)
select a < b, a <= b, a = b, a <> b, a >= b, a > b from (values ('9'::xid8, '10'::xid8)) v(a, b);
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------
--|  t        | t        | f        | t        | f        | f
--| (1 row)
select min(x), max(x), count(distinct x) from (values ('9'::xid8), ('10'), ('9'), (null)) v(x);
--|  min | max | count
--| -----+-----+-------
--|    9 |  10 |     2
--| (1 row)
select array_agg(x order by x desc), greatest('9'::xid8, '10'), '{5,6}'::xid8[] from (values ('9'::xid8), ('10')) v(x);
--|  array_agg | greatest | xid8
--| -----------+----------+-------
--|  {10,9}    |       10 | {5,6}
--| (1 row)
select to_json('5'::xid8), pg_typeof('5'::xid8), format_type(5069, -1), '5'::xid8 in ('4', '5');
--|  to_json | pg_typeof | format_type | ?column?
--| ---------+-----------+-------------+----------
--|  "5"     | xid8      | xid8        | t
--| (1 row)
select oid, typname, typlen, typbyval, typcategory, typarray, typalign, typstorage from pg_type where typname ~ '^_?(xid8|pg_snapshot|txid_snapshot)$' order by oid;
--|  oid  |    typname     | typlen | typbyval | typcategory | typarray | typalign | typstorage
--| ------+----------------+--------+----------+-------------+----------+----------+------------
--|   271 | _xid8          |     -1 | f        | A           |        0 | d        | x
--|  2949 | _txid_snapshot |     -1 | f        | A           |        0 | d        | x
--|  2970 | txid_snapshot  |     -1 | f        | U           |     2949 | d        | x
--|  5038 | pg_snapshot    |     -1 | f        | U           |     5039 | d        | x
--|  5039 | _pg_snapshot   |     -1 | f        | A           |        0 | d        | x
--|  5069 | xid8           |      8 | t        | U           |      271 | d        | p
--| (6 rows)
select opcname, amname, opfname, opcdefault from pg_opclass c join pg_am a on a.oid = opcmethod join pg_opfamily f on f.oid = opcfamily where opcintype = 'xid8'::regtype order by 2;
--|  opcname  | amname | opfname  | opcdefault
--| ----------+--------+----------+------------
--|  xid8_ops | btree  | xid8_ops | t
--|  xid8_ops | hash   | xid8_ops | t
--| (2 rows)
select oprname, oprleft::regtype, oprright::regtype, oprresult::regtype from pg_operator where oprleft = 'xid8'::regtype order by 1;
--|  oprname | oprleft | oprright | oprresult
--| ---------+---------+----------+-----------
--|  <       | xid8    | xid8     | boolean
--|  <=      | xid8    | xid8     | boolean
--|  <>      | xid8    | xid8     | boolean
--|  =       | xid8    | xid8     | boolean
--|  >       | xid8    | xid8     | boolean
--|  >=      | xid8    | xid8     | boolean
--| (6 rows)
select proname, pg_get_function_arguments(oid), prorettype::regtype, provolatile, proretset from pg_proc where proname ~ '^(txid_|pg_snapshot_|pg_current_(xact|snap)|pg_visible_in|pg_xact_status)' and not proretset and proname !~ '_(in|out|recv|send)$' order by 1;
--|             proname             | pg_get_function_arguments |  prorettype   | provolatile | proretset
--| --------------------------------+---------------------------+---------------+-------------+-----------
--|  pg_current_snapshot            |                           | pg_snapshot   | s           | f
--|  pg_current_xact_id             |                           | xid8          | s           | f
--|  pg_current_xact_id_if_assigned |                           | xid8          | s           | f
--|  pg_snapshot_xmax               | pg_snapshot               | xid8          | i           | f
--|  pg_snapshot_xmin               | pg_snapshot               | xid8          | i           | f
--|  pg_visible_in_snapshot         | xid8, pg_snapshot         | boolean       | i           | f
--|  pg_xact_status                 | xid8                      | text          | v           | f
--|  txid_current                   |                           | bigint        | s           | f
--|  txid_current_if_assigned       |                           | bigint        | s           | f
--|  txid_current_snapshot          |                           | txid_snapshot | s           | f
--|  txid_snapshot_xmax             | txid_snapshot             | bigint        | i           | f
--|  txid_snapshot_xmin             | txid_snapshot             | bigint        | i           | f
--|  txid_status                    | bigint                    | text          | v           | f
--|  txid_visible_in_snapshot       | bigint, txid_snapshot     | boolean       | i           | f
--| (14 rows)

-- A column of the type: in keys and indexes, sorted, grouped and joined, stored and read.
create table events (id int primary key, xact xid8 not null default pg_current_xact_id(), seen pg_snapshot, old txid_snapshot);
--| CREATE TABLE
create index events_xact on events (xact, id);
--| CREATE INDEX
create index events_hash on events using hash (xact);
--| CREATE INDEX
create table marks (at xid8 primary key, ids xid8[]);
--| CREATE TABLE
insert into marks values ('100', '{1,NULL,18446744073709551615}'), ('18446744073709551615', null), ('9', '{}');
--| INSERT 0 3
insert into marks values ('9', null);
--| ERROR:  23505: duplicate key value violates unique constraint "marks_pkey"
--| DETAIL:  Key (at)=(9) already exists.
select * from marks order by at;
--|           at          |              ids
--| ----------------------+-------------------------------
--|                     9 | {}
--|                   100 | {1,NULL,18446744073709551615}
--|  18446744073709551615 |
--| (3 rows)
select * from marks where at > '9' order by at desc;
--|           at          |              ids
--| ----------------------+-------------------------------
--|  18446744073709551615 |
--|                   100 | {1,NULL,18446744073709551615}
--| (2 rows)
select at from marks where at between '10' and '200' or at = any('{9}') order by 1;
--|  at
--| -----
--|    9
--|  100
--| (2 rows)
explain (costs off) select * from marks where at = '100';
--|               QUERY PLAN
--| --------------------------------------
--|  Index Scan using marks_pkey on marks
--|    Index Cond: (at = '100'::xid8)
--| (2 rows)
insert into events (id, xact, seen, old) values (1, '7', '4:9:5,7', '4:9:5,7'), (2, '100', '1:2:', null), (3, '100', null, ' 1:+5:');
--| INSERT 0 3
select * from events order by id;
--|  id | xact |  seen   |   old
--| ----+------+---------+---------
--|   1 |    7 | 4:9:5,7 | 4:9:5,7
--|   2 |  100 | 1:2:    |
--|   3 |  100 |         | 1:5:
--| (3 rows)
select e.id, m.at from events e join marks m on m.at = e.xact order by 1;
--|  id | at
--| ----+-----
--|   2 | 100
--|   3 | 100
--| (2 rows)
select xact, count(*) from events group by xact order by 1;
--|  xact | count
--| ------+-------
--|     7 |     1
--|   100 |     2
--| (2 rows)
select id from events where xact < '50' or xact >= pg_snapshot_xmax('4:90:') order by id;
--|  id
--| ----
--|   1
--|   2
--|   3
--| (3 rows)
create index on events (seen);
--| ERROR:  42704: data type pg_snapshot has no default operator class for access method "btree"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create table bad (s pg_snapshot primary key);
--| ERROR:  42704: data type pg_snapshot has no default operator class for access method "btree"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
copy events (id, xact, seen) to stdout;
--| 1	7	4:9:5,7
--| 2	100	1:2:
--| 3	100	\N

-- Snapshots.
select '1:2:'::pg_snapshot, '1:10:3,3,5,'::pg_snapshot, ' 1:+5:'::txid_snapshot;
--|  pg_snapshot | pg_snapshot | txid_snapshot
--| -------------+-------------+---------------
--|  1:2:        | 1:10:3,5    | 1:5:
--| (1 row)
select '2:1:'::txid_snapshot;
--| ERROR:  22P02: invalid input syntax for type pg_snapshot: "2:1:"
select '0:1:'::pg_snapshot;
--| ERROR:  22P02: invalid input syntax for type pg_snapshot: "0:1:"
select '1:2'::pg_snapshot;
--| ERROR:  22P02: invalid input syntax for type pg_snapshot: "1:2"
select '4:8:9'::pg_snapshot;
--| ERROR:  22P02: invalid input syntax for type pg_snapshot: "4:8:9"
select '1:9:5,3'::pg_snapshot;
--| ERROR:  22P02: invalid input syntax for type pg_snapshot: "1:9:5,3"
select '1:9:,'::pg_snapshot;
--| ERROR:  22P02: invalid input syntax for type pg_snapshot: "1:9:,"
select '1:2:'::pg_snapshot = '1:2:';
--| ERROR:  42883: operator does not exist: pg_snapshot = unknown
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select distinct '1:2:'::pg_snapshot;
--| ERROR:  42883: could not identify an equality operator for type pg_snapshot
select '1:2:'::pg_snapshot order by 1;
--| ERROR:  42883: could not identify an ordering operator for type pg_snapshot
--| HINT:  Use an explicit ordering operator or modify the query.
select '1:2:'::pg_snapshot::txid_snapshot;
--| ERROR:  42846: cannot cast type pg_snapshot to txid_snapshot
select '1:2:'::pg_snapshot::text::txid_snapshot, to_json('1:2:'::pg_snapshot), array['1:2:'::pg_snapshot, '1:5:3,4'];
--|  txid_snapshot | to_json |      array
--| ---------------+---------+------------------
--|  1:2:          | "1:2:"  | {1:2:,"1:5:3,4"}
--| (1 row)
select pg_snapshot_xmin('4:9:5,7'), pg_snapshot_xmax('4:9:5,7'), array(select pg_snapshot_xip('4:9:5,7'));
--|  pg_snapshot_xmin | pg_snapshot_xmax | array
--| ------------------+------------------+-------
--|                 4 |                9 | {5,7}
--| (1 row)
select txid_snapshot_xmin('4:9:5,7'), txid_snapshot_xmax('4:9:5,7'), array(select txid_snapshot_xip('4:9:5,7'));
--|  txid_snapshot_xmin | txid_snapshot_xmax | array
--| --------------------+--------------------+-------
--|                   4 |                  9 | {5,7}
--| (1 row)
select * from pg_snapshot_xip('1:10:3,4') as x;
--|  x
--| ---
--|  3
--|  4
--| (2 rows)
select * from txid_snapshot_xip('1:10:3,4');
--|  txid_snapshot_xip
--| -------------------
--|                  3
--|                  4
--| (2 rows)
select array_agg(x) from generate_series(1, 12) x where pg_visible_in_snapshot(x::text::xid8, '4:9:5,7');
--|    array_agg
--| ---------------
--|  {1,2,3,4,6,8}
--| (1 row)
select array_agg(x) from generate_series(1, 12) x where txid_visible_in_snapshot(x, '4:9:5,7');
--|    array_agg
--| ---------------
--|  {1,2,3,4,6,8}
--| (1 row)
select pg_visible_in_snapshot(null, '4:9:5,7'), pg_snapshot_xmin(null);
--|  pg_visible_in_snapshot | pg_snapshot_xmin
--| ------------------------+------------------
--|                         |
--| (1 row)

-- Of the transaction.
select pg_current_xact_id_if_assigned() is null, txid_current_if_assigned() is null;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
begin;
--| BEGIN
select pg_current_xact_id() = pg_current_xact_id_if_assigned();
--|  ?column?
--| ----------
--|  t
--| (1 row)
select pg_current_xact_id()::text::bigint = txid_current(), txid_current() = txid_current_if_assigned();
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select pg_visible_in_snapshot(pg_current_xact_id(), pg_current_snapshot());
--|  pg_visible_in_snapshot
--| ------------------------
--|  f
--| (1 row)
select pg_current_xact_id() >= pg_snapshot_xmin(pg_current_snapshot()), pg_snapshot_xmin(s) <= pg_snapshot_xmax(s) from pg_current_snapshot() s;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select pg_xact_status(pg_current_xact_id()), txid_status(txid_current());
--|  pg_xact_status | txid_status
--| ----------------+-------------
--|  in progress    | in progress
--| (1 row)
select pg_current_snapshot()::text = txid_current_snapshot()::text;
--|  ?column?
--| ----------
--|  t
--| (1 row)
insert into events (id) values (10);
--| INSERT 0 1
select xact = pg_current_xact_id() from events where id = 10;
--|  ?column?
--| ----------
--|  t
--| (1 row)
commit;
--| COMMIT
select pg_xact_status(xact), xact < pg_snapshot_xmin(pg_current_snapshot()), pg_visible_in_snapshot(xact, pg_current_snapshot()) from events where id = 10;
--|  pg_xact_status | ?column? | pg_visible_in_snapshot
--| ----------------+----------+------------------------
--|  committed      | t        | t
--| (1 row)
select pg_xact_status('18446744073709551615');
--| ERROR:  22023: transaction ID 18446744073709551615 is in the future
select txid_status(-1);
--| ERROR:  22023: transaction ID 18446744073709551615 is in the future
select pg_xact_status(null);
--|  pg_xact_status
--| ----------------
--|
--| (1 row)
create table snapshots (at pg_snapshot default pg_current_snapshot());
--| CREATE TABLE
insert into snapshots default values;
--| INSERT 0 1
select pg_visible_in_snapshot((select xact from events where id = 10), at), at::text::pg_snapshot::text = at::text from snapshots;
--|  pg_visible_in_snapshot | ?column?
--| ------------------------+----------
--|  t                      | t
--| (1 row)
create view waiting as select id from events where xact < pg_snapshot_xmin(pg_current_snapshot()) and id > 3;
--| CREATE VIEW
select pg_get_viewdef('waiting');
--|                               pg_get_viewdef
--| --------------------------------------------------------------------------
--|   SELECT id                                                              +
--|     FROM events                                                          +
--|    WHERE ((xact < pg_snapshot_xmin(pg_current_snapshot())) AND (id > 3));
--| (1 row)
select count(*) from waiting;
--|  count
--| -------
--|      1
--| (1 row)
select '010'::xid, '0xffffffff'::xid, '-1'::xid;
--|  xid |    xid     |    xid
--| -----+------------+------------
--|    8 | 4294967295 | 4294967295
--| (1 row)
select '4294967296'::xid;
--| ERROR:  22003: value "4294967296" is out of range for type xid
