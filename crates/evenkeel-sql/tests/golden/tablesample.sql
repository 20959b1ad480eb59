-- TABLESAMPLE: which rows are drawn is this engine's own; how many, what is refused, and how it is shown is PostgreSQL's.
create table ts (id int primary key, name text);
--| CREATE TABLE
insert into ts select i, repeat(i::text, 5) from generate_series(1, 20000) i;
--| INSERT 0 20000
SELECT count(*) FROM ts TABLESAMPLE SYSTEM (100);
--|  count
--| -------
--|  20000
--| (1 row)
SELECT count(*) FROM ts TABLESAMPLE SYSTEM (100) REPEATABLE (1+2);
--|  count
--| -------
--|  20000
--| (1 row)
SELECT count(*) FROM ts TABLESAMPLE bernoulli (100) REPEATABLE (0.4);
--|  count
--| -------
--|  20000
--| (1 row)
SELECT count(*) FROM ts TABLESAMPLE bernoulli (0) REPEATABLE (0.4);
--|  count
--| -------
--|      0
--| (1 row)
SELECT count(*) between 1500 and 2500 FROM ts TABLESAMPLE bernoulli (10) REPEATABLE (0.4);
--|  ?column?
--| ----------
--|  t
--| (1 row)
SELECT count(*) between 500 and 5500 FROM ts TABLESAMPLE system (10);
--|  ?column?
--| ----------
--|  t
--| (1 row)
SELECT count(*) between 500 and 5500 FROM ts a(x,y) TABLESAMPLE pg_catalog.system ('10') where x > 0;
--|  ?column?
--| ----------
--|  t
--| (1 row)
CREATE VIEW v1 AS SELECT id FROM ts TABLESAMPLE SYSTEM (10*2) REPEATABLE (2);
--| CREATE VIEW
CREATE VIEW v2 AS SELECT id FROM ts TABLESAMPLE SYSTEM (99);
--| CREATE VIEW
create view v3 as select x, y.* from ts as a(x) tablesample "bernoulli"(100.0/11) repeatable (pi()) join ts as y tablesample system(1::real) on x = y.id where x > (select min(id) from ts z tablesample system(5));
--| CREATE VIEW
select pg_get_viewdef('v1'), pg_get_viewdef('v2');
--|                       pg_get_viewdef                      |           pg_get_viewdef
--| ----------------------------------------------------------+-------------------------------------
--|   SELECT id                                              +|  SELECT id                         +
--|     FROM ts TABLESAMPLE system ((10 * 2)) REPEATABLE (2); |    FROM ts TABLESAMPLE system (99);
--| (1 row)
select pg_get_viewdef('v3');
--|                                       pg_get_viewdef
--| ------------------------------------------------------------------------------------------
--|   SELECT a.x,                                                                            +
--|      y.id,                                                                               +
--|      y.name                                                                              +
--|     FROM (ts a(x, name) TABLESAMPLE bernoulli ((100.0 / (11)::numeric)) REPEATABLE (pi())+
--|       JOIN ts y TABLESAMPLE system ((1)::real) ON ((a.x = y.id)))                        +
--|    WHERE (a.x > ( SELECT min(z.id) AS min                                                +
--|             FROM ts z TABLESAMPLE system (5)));
--| (1 row)
explain (costs off) SELECT id FROM ts TABLESAMPLE SYSTEM (50) REPEATABLE (2);
--|                              QUERY PLAN
--| --------------------------------------------------------------------
--|  Sample Scan on ts
--|    Sampling: system ('50'::real) REPEATABLE ('2'::double precision)
--| (2 rows)
explain (costs off) SELECT * FROM v1;
--|                              QUERY PLAN
--| --------------------------------------------------------------------
--|  Sample Scan on ts
--|    Sampling: system ('20'::real) REPEATABLE ('2'::double precision)
--| (2 rows)
explain (costs off) SELECT * FROM ts x tablesample bernoulli(1.5) where id = 3;
--|              QUERY PLAN
--| -------------------------------------
--|  Sample Scan on ts x
--|    Sampling: bernoulli ('1.5'::real)
--|    Filter: (id = 3)
--| (3 rows)
explain (costs off, format json) SELECT * FROM ts x tablesample bernoulli(1.5) repeatable (7) where id = 3;
--|                     QUERY PLAN
--| ---------------------------------------------------
--|  [                                                +
--|    {                                              +
--|      "Plan": {                                    +
--|        "Node Type": "Sample Scan",                +
--|        "Parallel Aware": false,                   +
--|        "Async Capable": false,                    +
--|        "Relation Name": "ts",                     +
--|        "Alias": "x",                              +
--|        "Disabled": false,                         +
--|        "Sampling Method": "bernoulli",            +
--|        "Sampling Parameters": [                   +
--|          "'1.5'::real"                            +
--|        ],                                         +
--|        "Repeatable Seed": "'7'::double precision",+
--|        "Filter": "(id = 3)"                       +
--|      }                                            +
--|    }                                              +
--|  ]
--| (1 row)
explain (costs off) SELECT * FROM ts x tablesample bernoulli(1.5) order by id limit 1;
--|                    QUERY PLAN
--| -------------------------------------------------
--|  Limit
--|    ->  Sort
--|          Sort Key: id
--|          ->  Sample Scan on ts x
--|                Sampling: bernoulli ('1.5'::real)
--| (5 rows)
select * from (values (0),(100)) v(pct), lateral (select count(*) from ts tablesample bernoulli (pct)) ss;
--|  pct | count
--| -----+-------
--|    0 |     0
--|  100 | 20000
--| (2 rows)
select * from (values (0),(100)) v(pct), lateral (select count(*) from ts tablesample system (pct)) ss;
--|  pct | count
--| -----+-------
--|    0 |     0
--|  100 | 20000
--| (2 rows)
select pct, count(id) from (values (0),(100)) v(pct), lateral (select * from ts tablesample bernoulli (pct)) ss group by pct;
--|  pct | count
--| -----+-------
--|  100 | 20000
--| (1 row)
select pct from (values (0),(100)) v(pct) where exists (select 1 from ts tablesample system (pct) where id = pct + 1);
--|  pct
--| -----
--|  100
--| (1 row)
explain (costs off) select pct, count(id) from (values (0),(100)) v(pct), lateral (select * from ts tablesample bernoulli (pct)) ss group by pct;
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  HashAggregate
--|    Group Key: v.pct
--|    ->  Nested Loop
--|          ->  Subquery Scan on v
--|                ->  Values Scan on "*VALUES*"
--|          ->  Subquery Scan on ss
--|                ->  Sample Scan on ts
--|                      Sampling: bernoulli ((v.pct)::real)
--| (8 rows)
SELECT count(*) FROM ts TABLESAMPLE bernoulli (('1'::text < '0'::text)::int);
--|  count
--| -------
--|      0
--| (1 row)
SELECT id FROM ts TABLESAMPLE FOOBAR (1);
--| ERROR:  42704: tablesample method foobar does not exist
SELECT id FROM ts TABLESAMPLE x.system (1);
--| ERROR:  42704: tablesample method x.system does not exist
SELECT id FROM ts TABLESAMPLE system (1, 2);
--| ERROR:  2202H: tablesample method system requires 1 argument, not 2
SELECT id FROM ts TABLESAMPLE system ();
--| ERROR:  42601: syntax error at or near ")"
SELECT id FROM ts TABLESAMPLE SYSTEM (NULL);
--| ERROR:  2202H: TABLESAMPLE parameter cannot be null
SELECT id FROM ts TABLESAMPLE SYSTEM (50) REPEATABLE (NULL);
--| ERROR:  2202G: TABLESAMPLE REPEATABLE parameter cannot be null
SELECT id FROM ts TABLESAMPLE BERNOULLI (-1);
--| ERROR:  2202H: sample percentage must be between 0 and 100
SELECT id FROM ts TABLESAMPLE BERNOULLI (200);
--| ERROR:  2202H: sample percentage must be between 0 and 100
SELECT id FROM ts TABLESAMPLE BERNOULLI ('NaN');
--| ERROR:  2202H: sample percentage must be between 0 and 100
SELECT id FROM ts TABLESAMPLE SYSTEM (-1);
--| ERROR:  2202H: sample percentage must be between 0 and 100
SELECT id FROM ts TABLESAMPLE SYSTEM (true);
--| ERROR:  42804: argument of TABLESAMPLE must be type real, not type boolean
SELECT id FROM ts TABLESAMPLE SYSTEM ('x');
--| ERROR:  22P02: invalid input syntax for type real: "x"
SELECT id FROM ts TABLESAMPLE SYSTEM (1) repeatable ('2020-01-01'::date);
--| ERROR:  42804: argument of REPEATABLE must be type double precision, not type date
SELECT id FROM ts TABLESAMPLE SYSTEM (1) repeatable ();
--| ERROR:  42601: syntax error at or near ")"
SELECT id FROM ts TABLESAMPLE SYSTEM (1) repeatable (1, 2);
--| ERROR:  42601: syntax error at or near ","
SELECT id FROM ts TABLESAMPLE SYSTEM (1) repeatable 3;
--| ERROR:  42601: syntax error at or near "3"
SELECT id FROM ts TABLESAMPLE SYSTEM (id);
--| ERROR:  42703: column "id" does not exist
SELECT 1 FROM ts a, ts b TABLESAMPLE SYSTEM (a.id);
--| ERROR:  42P01: missing FROM-clause entry for table "a"
SELECT id FROM v1 TABLESAMPLE BERNOULLI (1);
--| ERROR:  0A000: TABLESAMPLE clause can only be applied to tables and materialized views
INSERT INTO v1 VALUES(1);
--| ERROR:  55000: cannot insert into view "v1"
--| DETAIL:  Views containing TABLESAMPLE are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
WITH q AS (SELECT * FROM ts)
SELECT * FROM q TABLESAMPLE BERNOULLI (5.5) REPEATABLE (1);
--| ERROR:  0A000: TABLESAMPLE clause can only be applied to tables and materialized views
SELECT q.* FROM (SELECT * FROM ts) as q TABLESAMPLE BERNOULLI (5);
--| ERROR:  42601: syntax error at or near "TABLESAMPLE"
select * from generate_series(1,3) g tablesample system (3);
--| ERROR:  42601: syntax error at or near "tablesample"
select * from nothere tablesample system (3);
--| ERROR:  42P01: relation "nothere" does not exist
select count(*) from pg_tables tablesample system (3);
--| ERROR:  0A000: TABLESAMPLE clause can only be applied to tables and materialized views
delete from ts tablesample system (3);
--| ERROR:  42601: syntax error at or near "tablesample"
update ts tablesample system (3) set id = 3;
--| ERROR:  42601: syntax error at or near "tablesample"
update ts t set name = 'y' from ts x tablesample system (100) where x.id = t.id and t.id < 3;
--| UPDATE 2
select * from ts order by id limit 3;
--|  id | name
--| ----+-------
--|   1 | y
--|   2 | y
--|   3 | 33333
--| (3 rows)
select id from ts tablesample bernoulli (100) where id < 3 order by 1 for update;
--|  id
--| ----
--|   1
--|   2
--| (2 rows)
prepare p(real, float8) as select count(*) from ts tablesample bernoulli ($1) repeatable ($2);
--| PREPARE
execute p(100, 3);
--|  count
--| -------
--|  20000
--| (1 row)
execute p(0, 3);
--|  count
--| -------
--|      0
--| (1 row)
execute p(null, 3);
--| ERROR:  2202H: TABLESAMPLE parameter cannot be null
prepare p2 as select count(*) from ts tablesample bernoulli ($1) repeatable ($2);
--| PREPARE
execute p2(100, 3);
--|  count
--| -------
--|  20000
--| (1 row)
select (select count(*) from ts tablesample bernoulli (40) repeatable (1)) = (select count(*) from ts tablesample bernoulli (40) repeatable (1));
--|  ?column?
--| ----------
--|  t
--| (1 row)
select count(*) from (select 1 from ts tablesample bernoulli (40) repeatable (1)) x tablesample bernoulli (3);
--| ERROR:  42601: syntax error at or near "tablesample"
create materialized view m as select * from ts where id < 10;
--| SELECT 9
select count(*) from m tablesample system (100);
--|  count
--| -------
--|      9
--| (1 row)
select 1 as tablesample;
--|  tablesample
--| -------------
--|            1
--| (1 row)
create table empty (a int);
--| CREATE TABLE
select count(*) from empty tablesample system (50);
--|  count
--| -------
--|      0
--| (1 row)
select * from ts with (nolock);
--| ERROR:  42601: syntax error at or near "with"
select count(*) from only ts tablesample system (100);
--|  count
--| -------
--|  20000
--| (1 row)
-- Rows that are drawn again and again, and fewer of a smaller share.
create table few as select id from ts tablesample bernoulli (5) repeatable (3);
--| SELECT 977
select count(*) from few where id not in (select id from ts tablesample bernoulli (10) repeatable (3));
--|  count
--| -------
--|      0
--| (1 row)
insert into ts select i, 'new' from generate_series(30001, 30100) i;
--| INSERT 0 100
select count(*) from few where id not in (select id from ts tablesample bernoulli (5) repeatable (3));
--|  count
--| -------
--|      0
--| (1 row)
delete from ts where id < 10000;
--| DELETE 9999
select count(*) from (select id from few where id >= 10000 except select id from ts tablesample bernoulli (5) repeatable (3)) lost;
--|  count
--| -------
--|      0
--| (1 row)
-- Neighbours are drawn together.
select count(*) filter (where there) > 10, count(*) filter (where not there) > 10 from (
  select (lag(id) over (order by id)) = id - 1 as there from ts tablesample system (30) repeatable (5)) x;
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
begin;
--| BEGIN
declare c scroll cursor for select id from ts tablesample system (100) where id between 15001 and 15003;
--| DECLARE CURSOR
fetch first from c;
--|   id
--| -------
--|  15001
--| (1 row)
fetch last from c;
--|   id
--| -------
--|  15003
--| (1 row)
fetch prior from c;
--|   id
--| -------
--|  15002
--| (1 row)
commit;
--| COMMIT
create role sampler;
--| CREATE ROLE
set role sampler;
--| SET
select count(*) from ts tablesample system (100);
--| ERROR:  42501: permission denied for table ts
reset role;
--| RESET
drop role sampler;
--| DROP ROLE
