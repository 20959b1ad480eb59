-- What ALTER TABLE keeps to be shown: CLUSTER ON, REPLICA IDENTITY; comments on columns of views.

create table t (a int primary key, b int, c int not null);
--| CREATE TABLE
create index t_b on t (b);
--| CREATE INDEX
create unique index t_c on t (c);
--| CREATE INDEX
create unique index t_bu on t (b);
--| CREATE INDEX
create unique index t_part on t (c) where b > 1;
--| CREATE INDEX
create unique index t_expr on t ((c + 1));
--| CREATE INDEX
create index t_hash on t using hash (b);
--| CREATE INDEX
alter table t cluster on t_b;
--| ALTER TABLE
alter table t cluster on nowhere;
--| ERROR:  42704: index "nowhere" for table "t" does not exist
alter table t cluster on t_part;
--| ERROR:  0A000: cannot cluster on partial index "t_part"
alter table t cluster on t_hash;
--| ERROR:  0A000: cannot cluster on index "t_hash" because access method does not support clustering
alter table t replica identity using index t_c;
--| ALTER TABLE
select indexrelid::regclass, indisclustered, indisreplident from pg_index where indrelid = 't'::regclass order by 1::text;
--|  indexrelid | indisclustered | indisreplident
--| ------------+----------------+----------------
--|  t_pkey     | f              | f
--|  t_b        | t              | f
--|  t_c        | f              | t
--|  t_bu       | f              | f
--|  t_part     | f              | f
--|  t_expr     | f              | f
--|  t_hash     | f              | f
--| (7 rows)
select relreplident from pg_class where oid = 't'::regclass;
--|  relreplident
--| --------------
--|  i
--| (1 row)
alter table t replica identity using index t_b;
--| ERROR:  42809: cannot use non-unique index "t_b" as replica identity
alter table t replica identity using index t_bu;
--| ERROR:  42809: index "t_bu" cannot be used as replica identity because column "b" is nullable
alter table t replica identity using index t_part;
--| ERROR:  0A000: cannot use partial index "t_part" as replica identity
alter table t replica identity using index t_expr;
--| ERROR:  0A000: cannot use expression index "t_expr" as replica identity
alter table t replica identity using index nowhere;
--| ERROR:  42704: index "nowhere" for table "t" does not exist
alter table t replica identity full;
--| ALTER TABLE
select relreplident from pg_class where oid = 't'::regclass;
--|  relreplident
--| --------------
--|  f
--| (1 row)
alter table t set without cluster;
--| ALTER TABLE
select count(*) from pg_index where indisclustered or indisreplident;
--|  count
--| -------
--|      0
--| (1 row)
alter table t replica identity nothing;
--| ALTER TABLE
select relreplident from pg_class where oid = 't'::regclass;
--|  relreplident
--| --------------
--|  n
--| (1 row)
create view v as select a, b as x from t;
--| CREATE VIEW
comment on column v.x is 'a column';
--| COMMENT
comment on column v.nothing is 'none';
--| ERROR:  42703: column "nothing" of relation "v" does not exist
select col_description('v'::regclass, 2);
--|  col_description
--| -----------------
--|  a column
--| (1 row)
create table i (a int, b int, primary key (a) include (b));
--| CREATE TABLE
drop table i;
--| DROP TABLE
create table i (a int, b int, unique (a) include (b));
--| CREATE TABLE
drop table i;
--| DROP TABLE
create table i (a int, b int) with (fillfactor = '70');
--| CREATE TABLE
alter table i add constraint u unique (a) include (b);
--| ALTER TABLE
select reloptions from pg_class where oid = 'i'::regclass;
--|    reloptions
--| -----------------
--|  {fillfactor=70}
--| (1 row)
create role keeper;
--| CREATE ROLE
alter table i owner to keeper;
--| ALTER TABLE
alter table i alter a set not null, alter a add generated always as identity (sequence name other_seq start 5);
--| ALTER TABLE
select relname, pg_get_userbyid(relowner) from pg_class where relkind = 'S' order by 1;
--|   relname  | pg_get_userbyid
--| -----------+-----------------
--|  other_seq | keeper
--| (1 row)
