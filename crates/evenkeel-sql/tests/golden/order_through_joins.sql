-- What a unique index leaves no ties of may still come several times in a join.
create table customer(id int primary key, name text); insert into customer select g, 'c'||g from generate_series(1,50) g;
--| CREATE TABLE
--| INSERT 0 50
create table orders(id int primary key, cust int, total int); insert into orders values (1,1,9),(2,1,5),(3,1,7),(4,2,1),(5,2,0);
--| CREATE TABLE
--| INSERT 0 5
select 'A', c.id, c.name, o.total from customer c join orders o on o.cust=c.id order by c.id, c.name, o.total;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  A        |  1 | c1   |     5
--|  A        |  1 | c1   |     7
--|  A        |  1 | c1   |     9
--|  A        |  2 | c2   |     0
--|  A        |  2 | c2   |     1
--| (5 rows)
select 'B', c.id, c.name, o.total from customer c left join orders o on o.cust=c.id order by c.id, c.name, o.total limit 5;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  B        |  1 | c1   |     5
--|  B        |  1 | c1   |     7
--|  B        |  1 | c1   |     9
--|  B        |  2 | c2   |     0
--|  B        |  2 | c2   |     1
--| (5 rows)
select 'C', c.id, c.name, o.total from customer c left join orders o on o.cust=c.id order by c.id, c.name, o.total desc limit 2;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  C        |  1 | c1   |     9
--|  C        |  1 | c1   |     7
--| (2 rows)
select 'D', c.id, c.name, o.total, row_number() over (order by c.id, c.name, o.total) from customer c join orders o on o.cust=c.id;
--|  ?column? | id | name | total | row_number
--| ----------+----+------+-------+------------
--|  D        |  1 | c1   |     5 |          1
--|  D        |  1 | c1   |     7 |          2
--|  D        |  1 | c1   |     9 |          3
--|  D        |  2 | c2   |     0 |          4
--|  D        |  2 | c2   |     1 |          5
--| (5 rows)
select distinct on (c.id, c.name) 'E', c.id, c.name, o.total from customer c join orders o on o.cust=c.id order by c.id, c.name, o.total;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  E        |  1 | c1   |     5
--|  E        |  2 | c2   |     0
--| (2 rows)
select 'F', c.id, c.name, string_agg(o.total::text, ',' order by c.id, c.name, o.total) from customer c join orders o on o.cust=c.id group by c.id;
--|  ?column? | id | name | string_agg
--| ----------+----+------+------------
--|  F        |  1 | c1   | 5,7,9
--|  F        |  2 | c2   | 0,1
--| (2 rows)
select 'G', c.id, c.name, o.total, sum(o.total) over (partition by c.id, c.name order by o.total) from customer c join orders o on o.cust=c.id order by 2,3,4;
--|  ?column? | id | name | total | sum
--| ----------+----+------+-------+-----
--|  G        |  1 | c1   |     5 |   5
--|  G        |  1 | c1   |     7 |  12
--|  G        |  1 | c1   |     9 |  21
--|  G        |  2 | c2   |     0 |   0
--|  G        |  2 | c2   |     1 |   1
--| (5 rows)
select 'H', c.id, c.name, o.total, sum(o.total) from customer c join orders o on o.cust=c.id group by c.id, c.name, o.total order by c.id, c.name, o.total limit 3;
--|  ?column? | id | name | total | sum
--| ----------+----+------+-------+-----
--|  H        |  1 | c1   |     5 |   5
--|  H        |  1 | c1   |     7 |   7
--|  H        |  1 | c1   |     9 |   9
--| (3 rows)
select 'I', c.id, c.name, o.total from customer c join orders o on o.cust=c.id where c.id<3 order by c.id desc, c.name, o.total limit 3;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  I        |  2 | c2   |     0
--|  I        |  2 | c2   |     1
--|  I        |  1 | c1   |     5
--| (3 rows)
select 'J', c.id, c.name, o.total from orders o join customer c on o.cust=c.id where c.id=1 order by c.id, c.name, o.total limit 1;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  J        |  1 | c1   |     5
--| (1 row)
select 'K', c.id, c.name, o.total from orders o join customer c on o.cust=c.id order by c.id, upper(c.name), o.total limit 1;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  K        |  1 | c1   |     5
--| (1 row)
analyze;
--| ANALYZE
select 'A', c.id, c.name, o.total from customer c join orders o on o.cust=c.id order by c.id, c.name, o.total;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  A        |  1 | c1   |     5
--|  A        |  1 | c1   |     7
--|  A        |  1 | c1   |     9
--|  A        |  2 | c2   |     0
--|  A        |  2 | c2   |     1
--| (5 rows)
select 'C', c.id, c.name, o.total from customer c left join orders o on o.cust=c.id order by c.id, c.name, o.total desc limit 2;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  C        |  1 | c1   |     9
--|  C        |  1 | c1   |     7
--| (2 rows)
select 'I', c.id, c.name, o.total from customer c join orders o on o.cust=c.id where c.id<3 order by c.id desc, c.name, o.total limit 3;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  I        |  2 | c2   |     0
--|  I        |  2 | c2   |     1
--|  I        |  1 | c1   |     5
--| (3 rows)
create index on orders(cust);
--| CREATE INDEX
select 'C', c.id, c.name, o.total from customer c left join orders o on o.cust=c.id order by c.id, c.name, o.total limit 2;
--|  ?column? | id | name | total
--| ----------+----+------+-------
--|  C        |  1 | c1   |     5
--|  C        |  1 | c1   |     7
--| (2 rows)
-- Nor is what a point look-up finds.
select o.total from customer c join orders o on o.cust=c.id where c.id=1 order by o.total;
--|  total
--| -------
--|      5
--|      7
--|      9
--| (3 rows)
select o.total from customer c join orders o on o.cust=c.id where c.id=1 order by c.id, o.total;
--|  total
--| -------
--|      5
--|      7
--|      9
--| (3 rows)
select o.total from customer c join orders o on o.cust=c.id where c.id=1 order by c.name, o.total;
--|  total
--| -------
--|      5
--|      7
--|      9
--| (3 rows)
select o.total from customer c left join orders o on o.cust=c.id where c.id=1 order by c.name, o.total limit 2;
--|  total
--| -------
--|      5
--|      7
--| (2 rows)
select o.total from customer c cross join orders o where c.id=1 order by c.name, o.total;
--|  total
--| -------
--|      0
--|      1
--|      5
--|      7
--|      9
--| (5 rows)
select o.total from customer c cross join orders o where c.id=1 order by upper(c.name), o.total;
--|  total
--| -------
--|      0
--|      1
--|      5
--|      7
--|      9
--| (5 rows)
select o.total, rank() over (partition by c.name order by o.total) from customer c cross join orders o where c.id=1;
--|  total | rank
--| -------+------
--|      0 |    1
--|      1 |    2
--|      5 |    3
--|      7 |    4
--|      9 |    5
--| (5 rows)
select c.name, o.total, count(*) from customer c cross join orders o where c.id=1 group by c.name, o.total order by c.name, o.total limit 3;
--|  name | total | count
--| ------+-------+-------
--|  c1   |     0 |     1
--|  c1   |     1 |     1
--|  c1   |     5 |     1
--| (3 rows)
select c.name, g from customer c cross join generate_series(3,1,-1) g where c.id=1 order by c.name, g;
--|  name | g
--| ------+---
--|  c1   | 1
--|  c1   | 2
--|  c1   | 3
--| (3 rows)
select c.name, g from customer c, unnest(array[3,1,2]) g where c.id=7 order by c.name desc, g limit 1;
--|  name | g
--| ------+---
--|  c7   | 1
--| (1 row)
select c.name, o.total from customer c join orders o on o.cust=c.id where c.id=1 order by c.name, o.total desc;
--|  name | total
--| ------+-------
--|  c1   |     9
--|  c1   |     7
--|  c1   |     5
--| (3 rows)
select c.name, v.x from customer c, lateral (values (3),(1)) v(x) where c.id = 4 order by c.name, v.x;
--|  name | x
--| ------+---
--|  c4   | 1
--|  c4   | 3
--| (2 rows)
select c.name, o.total from customer c, orders o where c.id = (select min(cust) from orders) order by c.name, o.total limit 2;
--|  name | total
--| ------+-------
--|  c1   |     0
--|  c1   |     1
--| (2 rows)
prepare p(int) as select c.name, o.total from customer c join orders o on o.cust=c.id where c.id=$1 order by c.name, o.total; execute p(1);
--| PREPARE
--|  name | total
--| ------+-------
--|  c1   |     5
--|  c1   |     7
--|  c1   |     9
--| (3 rows)
