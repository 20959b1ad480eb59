-- Shapes of statements over the tables of TPC-H, one a line, each in a transaction that is rolled back: scans that few rows pass, aggregates, sorts with LIMIT and OFFSET,
-- joins of all kinds, functions over texts and dates, windows, set operations, common table expressions, changes of many rows, definitions.
select * from lineitem where l_linenumber = 100
select * from lineitem where l_comment = 'zzz'
select * from lineitem where l_comment like '%zzz%'
select * from lineitem where l_comment ilike '%zzz%'
select * from lineitem where l_comment ~ 'zzzq'
select * from lineitem where l_quantity > 1000
select * from lineitem where l_shipdate > date '2020-01-01' or l_tax > 5
select * from lineitem where l_shipmode = 'NONE'
update lineitem set l_tax=0 where l_linenumber = 100
delete from lineitem where l_linenumber = 100
select count(*) from lineitem
select count(l_comment) from lineitem
select min(l_quantity), max(l_quantity), avg(l_quantity) from lineitem
select min(l_shipdate), max(l_shipdate) from lineitem
select sum(l_orderkey) from lineitem
select sum(l_linenumber), count(*), max(l_linenumber) from lineitem
select l_linenumber, count(*) from lineitem group by 1
select l_shipmode, count(*) from lineitem group by 1
select l_comment, count(*) from lineitem group by 1 order by 2 desc limit 3
select distinct l_shipmode from lineitem
select distinct l_suppkey, l_linenumber from lineitem limit 10
select count(distinct l_suppkey) from lineitem
select * from lineitem order by l_comment limit 10
select * from lineitem order by l_extendedprice desc limit 10
select * from lineitem order by l_shipdate desc, l_orderkey limit 10 offset 1000
select l_orderkey from lineitem order by l_comment offset 599000
select * from lineitem limit 10 offset 500000
select * from lineitem l join orders o on o_orderkey = l_orderkey where o_totalprice > 500000
select count(*) from lineitem l join orders o on o_orderkey = l_orderkey
select count(*) from lineitem l left join orders o on o_orderkey = l_orderkey
select max(o_comment) from lineitem l join orders o on o_orderkey = l_orderkey
select l.* from lineitem l join supplier s on s_suppkey = l_suppkey where s_acctbal > 9990
select count(*) from orders where exists (select 1 from lineitem where l_orderkey = o_orderkey and l_quantity > 49)
select count(*) from orders where not exists (select 1 from lineitem where l_orderkey = o_orderkey and l_quantity > 10)
select count(*) from orders where o_orderkey in (select l_orderkey from lineitem where l_quantity > 49)
select count(*) from orders where o_custkey not in (select c_custkey from customer where c_acctbal > 0)
select o_orderpriority, count(*), sum(o_totalprice) from orders group by 1 order by 1
select date_trunc('month', o_orderdate), count(*) from orders group by 1 order by 1
select extract(year from o_orderdate), sum(o_totalprice) from orders group by 1
select to_char(o_orderdate, 'YYYY-MM'), count(*) from orders group by 1
select upper(o_comment) from orders offset 149990
select substring(o_comment from 1 for 5), count(*) from orders group by 1 order by 2 desc limit 5
select md5(o_comment) from orders offset 149990
select length(o_comment) + length(o_clerk) from orders offset 149990
select string_agg(o_comment, ',') from orders where o_orderkey < 20000
select array_agg(o_orderkey) from orders where o_orderkey < 200000
select jsonb_agg(o) from orders o where o_orderkey < 20000
select row_to_json(o) from orders o where o_orderkey < 20000
select o_custkey, row_number() over (partition by o_custkey order by o_orderdate) from orders offset 149990
select o_custkey, rank() over (order by o_totalprice desc) from orders limit 10
select sum(o_totalprice) over (order by o_orderdate) from orders offset 149990
select avg(o_totalprice) over (partition by o_orderpriority order by o_orderdate rows between 10 preceding and current row) from orders offset 149990
select lag(o_totalprice) over (partition by o_custkey order by o_orderdate) from orders offset 149990
select o_orderkey from orders union select l_orderkey from lineitem offset 149990
select o_custkey from orders intersect select c_custkey from customer offset 9000
select c_custkey from customer except select o_custkey from orders
with recursive t(n) as (select 1 union all select n+1 from t where n < 100000) select sum(n) from t
with x as materialized (select * from orders) select count(*) from x where o_totalprice > 1000
select generate_series(1, 500000) offset 499990
select count(*) from generate_series(1, 1000000) g where g % 7 = 0
select sum(x) from (select g::numeric x from generate_series(1, 300000) g) s
select count(*) from orders where o_comment like 'a%'
select count(*) from orders where lower(o_clerk) = 'clerk#000000951'
select count(*) from orders where o_totalprice between 1000 and 2000
select count(*) from orders where o_orderpriority in ('1-URGENT','2-HIGH')
select count(*) from orders where case when o_totalprice > 1000 then o_orderstatus = 'O' else false end
select percentile_cont(0.5) within group (order by o_totalprice) from orders
select mode() within group (order by o_custkey) from orders
select corr(o_totalprice, o_custkey), stddev(o_totalprice) from orders
select o_orderstatus, o_orderpriority, count(*) from orders group by rollup(1, 2)
select count(*) from customer c1 join customer c2 on c1.c_nationkey = c2.c_nationkey and c1.c_acctbal < c2.c_acctbal where c1.c_custkey < 300
select count(*) from customer c1, customer c2 where c1.c_custkey < 200 and c2.c_acctbal > c1.c_acctbal
create table zz as select * from orders
insert into region select 1000 + o_orderkey, 'x', 'y' from orders where o_orderkey < 100000
create index zi on orders (o_totalprice)
create index zi on lineitem (l_shipdate, l_partkey)
create index zi on orders (o_comment)
create index zi on orders (lower(o_comment))
update orders set o_comment = o_comment || 'x' where o_orderkey < 60000
update customer set c_acctbal = c_acctbal + 1
delete from lineitem where l_orderkey < 100000
alter table orders add column zz int default 5
alter table orders alter column o_shippriority type bigint
alter table orders add constraint zc check (o_totalprice > 0)
alter table orders add constraint zf foreign key (o_custkey) references customer
select * from orders where o_orderkey = any (array(select l_orderkey from lineitem where l_quantity = 50 and l_tax = 0.01 limit 5000))
select count(*) from (select distinct on (o_custkey) * from orders order by o_custkey, o_orderdate desc) s
select * from (select *, row_number() over (partition by o_custkey order by o_orderdate desc) r from orders) s where r = 1 and o_custkey < 100
select o.*, (select count(*) from lineitem where l_orderkey = o_orderkey) from orders o where o_orderkey < 20000
select o.*, l.c from orders o, lateral (select count(*) c from lineitem where l_orderkey = o_orderkey) l where o_orderkey < 20000
select regexp_replace(o_comment, '[aeiou]', '', 'g') from orders offset 149990
select regexp_matches(o_comment, '(\w+) (\w+)') from orders where o_orderkey < 50000
select split_part(o_comment, ' ', 2), count(*) from orders group by 1 order by 2 desc limit 5
select string_to_array(o_comment, ' ') from orders offset 149990
select unnest(string_to_array(o_comment, ' ')) w, count(*) from orders group by 1 order by 2 desc limit 5
select count(*) from orders where o_comment similar to '%(special|pending)%'
select replace(o_comment, 'the', 'a') from orders offset 149990
select format('%s-%s', o_orderkey, o_clerk) from orders offset 149990
select o_orderkey::text || o_clerk from orders offset 149990
select concat(o_orderkey, o_clerk, o_comment) from orders offset 149990
select coalesce(o_clerk, o_comment) from orders offset 149990
select greatest(o_totalprice, 1000) from orders offset 149990
select round(o_totalprice / 7, 2), o_totalprice * 1.1 from orders offset 149990
select sqrt(o_totalprice::float8) from orders offset 149990
select o_orderdate + interval '1 month' from orders offset 149990
select age(o_orderdate) from orders offset 149990
select count(*) from lineitem tablesample system (10)
select bool_and(o_totalprice > 0), every(o_custkey > 0) from orders
select * from lineitem l where l_extendedprice = (select max(l_extendedprice) from lineitem)
select * from orders o where o_totalprice > (select avg(o_totalprice) * 3 from orders o2 where o2.o_custkey = o.o_custkey) and o_custkey < 500
select * from lineitem l join orders o on o_orderkey = l_orderkey limit 10
select * from orders o where exists (select 1 from lineitem where l_orderkey = o_orderkey and l_quantity > 49) limit 10
select * from lineitem l join orders o on o_orderkey = l_orderkey order by o_orderkey desc limit 10
select exists (select 1 from lineitem join orders on o_orderkey = l_orderkey where l_tax > 0.05)
select o_custkey, count(*) from orders group by 1 order by 1 limit 10
alter table orders alter column o_clerk type text
alter table orders add column zz int default (random() * 5)::int
