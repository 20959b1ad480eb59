-- EXISTS below an OR or in a select list: asked row by row, or, once that has cost as much, looked up in a hash table.
create table t(id int primary key, a int, b text, n numeric);
--| CREATE TABLE
create table u(id int primary key, k int, b text, n numeric, v int);
--| CREATE TABLE
insert into t select i, i%50, 'x'||i%60, case when i%7=0 then null else (i%180)::numeric(10,2) end from generate_series(1,400) i;
--| INSERT 0 400
insert into u select i, case when i%11=0 then null else i%600 end, 'x'||i%80, (i%200)::numeric(10,1), i%10 from generate_series(1,1000) i;
--| INSERT 0 1000
analyze t; analyze u;
--| ANALYZE
--| ANALYZE
select count(*) from t where a = 1 or exists (select 1 from u where u.k = t.id and v > 5);
--|  count
--| -------
--|    168
--| (1 row)
select count(*) from t where a = 1 or not exists (select 1 from u where u.k = t.id and v > 5);
--|  count
--| -------
--|    240
--| (1 row)
select count(*) filter (where e), count(*) filter (where not e), count(*) filter (where e is null) from (select exists (select 1 from u where u.n = t.n and u.b = t.b) as e from t) s;
--|  count | count | count
--| -------+-------+-------
--|    240 |   160 |     0
--| (1 row)
select count(*) from t where a = 1 or exists (select from u where u.k = t.id + t.a and u.v + 1 = t.a % 10);
--|  count
--| -------
--|     48
--| (1 row)
select count(*) from t where a = 1 or exists (select from u where u.k = t.id and u.v < t.a);
--|  count
--| -------
--|    328
--| (1 row)
select sum(case when exists (select 1 from u join u w on u.id = w.k where w.v = t.a % 10 and u.k = t.id) then 1 else 2 end) from t;
--|  sum
--| -----
--|  436
--| (1 row)
explain (costs off) select count(*) from t where a = 1 or exists (select 1 from u where u.k = t.id and v > 5);
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Aggregate
--|    ->  Seq Scan on t
--|          Filter: ((a = 1) OR (alternatives: SubPlan 1 or hashed SubPlan 2))
--|          SubPlan 1
--|            ->  Seq Scan on u
--|                  Filter: ((k = t.id) AND (v > 5))
--|          SubPlan 2
--|            ->  Seq Scan on u u_1
--|                  Filter: (v > 5)
--| (9 rows)
explain (costs off) select exists (select 1 from u where u.k = t.id and u.v < t.a) from t;
--|                   QUERY PLAN
--| ----------------------------------------------
--|  Seq Scan on t
--|    SubPlan 1
--|      ->  Seq Scan on u
--|            Filter: ((k = t.id) AND (v < t.a))
--| (4 rows)
prepare p(int) as select count(*) from t where a = $1 or exists (select 1 from u where u.k = t.id and v > $1);
--| PREPARE
execute p(3); execute p(1);
--|  count
--| -------
--|    248
--| (1 row)
--|  count
--| -------
--|    328
--| (1 row)
update t set b = 'y' where a = 0 or exists (select 1 from u where u.k = t.id and v = 3);
--| UPDATE 48
select count(*) from t where b = 'y';
--|  count
--| -------
--|     48
--| (1 row)
explain (analyze, costs off, timing off, summary off, buffers off) select count(*) from t where a = 1 or exists (select 1 from u where u.k = t.id and v > 5);
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Seq Scan on t (actual rows=168.00 loops=1)
--|          Filter: ((a = 1) OR (alternatives: SubPlan 1 or hashed SubPlan 2))
--|          Rows Removed by Filter: 232
--|          SubPlan 1
--|            ->  Seq Scan on u (actual rows=0.00 loops=1)
--|                  Filter: ((k = t.id) AND (v > 5))
--|                  Rows Removed by Filter: 1000
--|          SubPlan 2
--|            ->  Seq Scan on u u_1 (actual rows=400.00 loops=1)
--|                  Filter: (v > 5)
--|                  Rows Removed by Filter: 600
--| (12 rows)
-- Few rows ask: it stays with the first way.
explain (analyze, costs off, timing off, summary off, buffers off) select count(*) from t where id < 3 and (a = 1 or exists (select 1 from u where u.k = t.id and v > 5));
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Aggregate (actual rows=1.00 loops=1)
--|    ->  Index Scan using t_pkey on t (actual rows=1.00 loops=1)
--|          Index Cond: (id < 3)
--|          Filter: ((a = 1) OR (alternatives: SubPlan 1 or hashed SubPlan 2))
--|          Rows Removed by Filter: 1
--|          Index Searches: 1
--|          SubPlan 1
--|            ->  Seq Scan on u (actual rows=0.00 loops=1)
--|                  Filter: ((k = t.id) AND (v > 5))
--|                  Rows Removed by Filter: 1000
--|          SubPlan 2
--|            ->  Seq Scan on u u_1 (never executed)
--|                  Filter: (v > 5)
--| (13 rows)
-- There is no room for the rows.
set work_mem = '64kB';
--| SET
select count(*) from t where a = 1 or exists (select 1 from u where u.k = t.id and v > 5);
--|  count
--| -------
--|    168
--| (1 row)
reset work_mem;
--| RESET
-- Within another subquery, which asks for other rows each time.
select count(*) from (values (1), (2), (3)) x(i), lateral (select count(*) as n from t where t.a = x.i or exists (select 1 from u where u.k = t.id and u.v = 9)) y where n > 0;
--|  count
--| -------
--|      3
--| (1 row)
select (select count(*) from t where t.a = x.i or exists (select 1 from u where u.k = t.id and u.v = x.i)) from (values (1), (2)) x(i);
--|  count
--| -------
--|     40
--|     40
--| (2 rows)
-- What the hashed rows would read is put aside further above: there is no other way.
explain (costs off) select (select count(*) from t where t.a = x.i or exists (select 1 from u where u.k = t.id and u.v < x.i)) from (values (1), (2)) x(i);
--|                          QUERY PLAN
--| ------------------------------------------------------------
--|  Subquery Scan on x
--|    ->  Values Scan on "*VALUES*"
--|    SubPlan 2
--|      ->  Aggregate
--|            ->  Seq Scan on t
--|                  Filter: ((a = x.i) OR EXISTS(SubPlan 1))
--|                  SubPlan 1
--|                    ->  Seq Scan on u
--|                          Filter: ((k = t.id) AND (v < x.i))
--| (9 rows)
select (select count(*) from t where t.a = x.i or exists (select 1 from u where u.k = t.id and u.v < x.i)) from (values (1), (2)) x(i);
--|  count
--| -------
--|     48
--|     88
--| (2 rows)
