-- A column that is not there: which may have been meant.

create table customers(id int primary key, "Name" text, email text, created_at timestamptz, größe int);
--| CREATE TABLE
create table orders(id int primary key, customer_id int, total numeric, status text, created_on date);
--| CREATE TABLE
select naem from customers;
--| ERROR:  42703: column "naem" does not exist
select name from customers;
--| ERROR:  42703: column "name" does not exist
--| HINT:  Perhaps you meant to reference the column "customers.Name".
select emial, id from customers;
--| ERROR:  42703: column "emial" does not exist
--| HINT:  Perhaps you meant to reference the column "customers.email".
select c.emai from customers c;
--| ERROR:  42703: column c.emai does not exist
--| HINT:  Perhaps you meant to reference the column "c.email".
select customers.creatd_at from customers;
--| ERROR:  42703: column customers.creatd_at does not exist
--| HINT:  Perhaps you meant to reference the column "customers.created_at".
select grösse from customers;
--| ERROR:  42703: column "grösse" does not exist
--| HINT:  Perhaps you meant to reference the column "customers.größe".
select creted from customers, orders;
--| ERROR:  42703: column "creted" does not exist
select idd from customers, orders;
--| ERROR:  42703: column "idd" does not exist
--| HINT:  Perhaps you meant to reference the column "customers.id" or the column "orders.id".
select created_a from customers c, orders o;
--| ERROR:  42703: column "created_a" does not exist
--| HINT:  Perhaps you meant to reference the column "c.created_at".
select o.created_at from customers c, orders o;
--| ERROR:  42703: column o.created_at does not exist
--| HINT:  Perhaps you meant to reference the column "c.created_at".
select c.staus from customers c join orders o on c.id = o.customer_id;
--| ERROR:  42703: column c.staus does not exist
--| HINT:  Perhaps you meant to reference the column "o.status".
select x from customers;
--| ERROR:  42703: column "x" does not exist
select xy from customers;
--| ERROR:  42703: column "xy" does not exist
select id2 from (select id as id1, 1 as id3 from customers) s;
--| ERROR:  42703: column "id2" does not exist
--| HINT:  Perhaps you meant to reference the column "s.id1" or the column "s.id3".
select id2 from (select id as id1, 1 as id3, 2 as id4 from customers) s;
--| ERROR:  42703: column "id2" does not exist
select (select totl from orders o where o.customer_id = c.id) from customers c;
--| ERROR:  42703: column "totl" does not exist
--| HINT:  Perhaps you meant to reference the column "o.total".
select (select emal from orders o where o.customer_id = c.id) from customers c;
--| ERROR:  42703: column "emal" does not exist
--| HINT:  Perhaps you meant to reference the column "c.email".
select * from customers c where exists (select 1 from orders where custmer_id = c.idd);
--| ERROR:  42703: column "custmer_id" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.customer_id".
update orders set total = totl + 1;
--| ERROR:  42703: column "totl" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.total".
update orders set total = 1 where statu = 'x';
--| ERROR:  42703: column "statu" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.status".
delete from orders using customers c where c.id = custmer_id;
--| ERROR:  42703: column "custmer_id" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.customer_id".
insert into orders(id, totl) values (1, 2);
--| ERROR:  42703: column "totl" of relation "orders" does not exist
insert into orders values (1, 2) returning totl;
--| ERROR:  42703: column "totl" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.total".
insert into orders as o values (1, 2) on conflict (id) do update set total = excluded.totl;
--| ERROR:  42703: column excluded.totl does not exist
--| HINT:  Perhaps you meant to reference the column "excluded.total".
insert into orders as o values (1, 2) on conflict (id) do update set total = o.totl;
--| ERROR:  42703: column o.totl does not exist
--| HINT:  Perhaps you meant to reference the column "o.total".
update orders set total = 1 returning old.totl, new.staus;
--| ERROR:  42703: column old.totl does not exist
select total as amount from orders order by amuont;
--| ERROR:  42703: column "amuont" does not exist
select status, count(*) from orders group by statuss;
--| ERROR:  42703: column "statuss" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.status".
select status, count(*) from orders group by status having totals > 1;
--| ERROR:  42703: column "totals" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.total".
with recent as (select id, total as amount from orders) select amont from recent;
--| ERROR:  42703: column "amont" does not exist
--| HINT:  Perhaps you meant to reference the column "recent.amount".
select v.nmae from (values (1, 'a')) v(id, name);
--| ERROR:  42703: column v.nmae does not exist
--| HINT:  Perhaps you meant to reference the column "v.name".
select column3 from (values (1, 'a')) v;
--| ERROR:  42703: column "column3" does not exist
--| HINT:  Perhaps you meant to reference the column "v.column1" or the column "v.column2".
select g.valu from generate_series(1, 2) as g(value);
--| ERROR:  42703: column g.valu does not exist
--| HINT:  Perhaps you meant to reference the column "g.value".
select relnam from pg_class;
--| ERROR:  42703: column "relnam" does not exist
--| HINT:  Perhaps you meant to reference the column "pg_class.relname" or the column "pg_class.relam".
select * from customers c, (select email from orders) s;
--| ERROR:  42703: column "email" does not exist
--| DETAIL:  There is a column named "email" in table "c", but it cannot be referenced from this part of the query.
--| HINT:  To reference that column, you must mark this subquery with LATERAL.
select * from customers c, lateral (select emial from orders) s;
--| ERROR:  42703: column "emial" does not exist
--| HINT:  Perhaps you meant to reference the column "c.email".
select * from customers c join orders o on statis = 'x' join orders p on p.totl = 1;
--| ERROR:  42703: column "statis" does not exist
--| HINT:  Perhaps you meant to reference the column "o.status".
create index on orders (totl);
--| ERROR:  42703: column "totl" does not exist
create index on orders (lower(statu));
--| ERROR:  42703: column "statu" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.status".
create view w as select totl from orders;
--| ERROR:  42703: column "totl" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.total".
create table x(abcd int, check (abce > 1));
--| ERROR:  42703: column "abce" does not exist
--| HINT:  Perhaps you meant to reference the column "x.abcd".
create table x(abcd int, efgh int generated always as (abce + 1) stored);
--| ERROR:  42703: column "abce" does not exist
--| HINT:  Perhaps you meant to reference the column "x.abcd".
merge into orders o using customers c on o.customer_id = c.idd when matched then delete;
--| ERROR:  42703: column c.idd does not exist
--| HINT:  Perhaps you meant to reference the column "c.id".
merge into orders o using customers c on o.customer_id = c.id when matched then update set total = c.emial::int;
--| ERROR:  42703: column c.emial does not exist
--| HINT:  Perhaps you meant to reference the column "c.email".
merge into orders o using customers c on o.customer_id = c.id when not matched then insert (id) values (o.id);
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "o"
--| DETAIL:  There is an entry for table "o", but it cannot be referenced from this part of the query.
merge into orders o using customers c on o.customer_id = c.id when not matched then insert (id) values (customer_id);
--| ERROR:  42703: column "customer_id" does not exist
--| DETAIL:  There is a column named "customer_id" in table "o", but it cannot be referenced from this part of the query.
copy orders(totl) from stdin;
--| ERROR:  42703: column "totl" of relation "orders" does not exist
select count(*) filter (where statu = 'x'), sum(totl) over () from orders;
--| ERROR:  42703: column "statu" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.status".
select * from orders where (idx, total) = (1, 2);
--| ERROR:  42703: column "idx" does not exist
--| HINT:  Perhaps you meant to reference the column "orders.id".
select o.* from orders o window w as (partition by statuz);
--| ERROR:  42703: column "statuz" does not exist
--| HINT:  Perhaps you meant to reference the column "o.status".
