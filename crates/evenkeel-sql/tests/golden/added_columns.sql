-- A column that is added with the same value for all rows leaves them as they are.
create table m(id int primary key, a text);
--| CREATE TABLE
insert into m select g, 'r'||g from generate_series(1,5) g;
--| INSERT 0 5
alter table m add column b int default 7 not null, add column c text default 'x'||lower('Y');
--| ALTER TABLE
select * from m order by id;
--|  id | a  | b | c
--| ----+----+---+----
--|   1 | r1 | 7 | xy
--|   2 | r2 | 7 | xy
--|   3 | r3 | 7 | xy
--|   4 | r4 | 7 | xy
--|   5 | r5 | 7 | xy
--| (5 rows)
insert into m values (6,'r6'),(7,'r7',null,null);
--| ERROR:  42601: VALUES lists must all be the same length
insert into m values (7,'r7',1,null);
--| INSERT 0 1
update m set a = a||'!' where id=2;
--| UPDATE 1
select * from m order by id;
--|  id |  a  | b | c
--| ----+-----+---+----
--|   1 | r1  | 7 | xy
--|   2 | r2! | 7 | xy
--|   3 | r3  | 7 | xy
--|   4 | r4  | 7 | xy
--|   5 | r5  | 7 | xy
--|   7 | r7  | 1 |
--| (6 rows)
alter table m alter b set default 9;
--| ALTER TABLE
select b, count(*) from m group by b order by b;
--|  b | count
--| ---+-------
--|  1 |     1
--|  7 |     5
--| (2 rows)
create index on m(b); analyze m;
--| CREATE INDEX
--| ANALYZE
set enable_seqscan=off; select id from m where b=7 order by id; reset enable_seqscan;
--| SET
--|  id
--| ----
--|   1
--|   2
--|   3
--|   4
--|   5
--| (5 rows)
--| RESET
alter table m add column d timestamptz default now();
--| ALTER TABLE
select count(distinct d), min(d)=max(d) from m;
--|  count | ?column?
--| -------+----------
--|      1 | t
--| (1 row)
alter table m add column e int default random()*0+3;
--| ALTER TABLE
select id,b,c,e from m order by id;
--|  id | b | c  | e
--| ----+---+----+---
--|   1 | 7 | xy | 3
--|   2 | 7 | xy | 3
--|   3 | 7 | xy | 3
--|   4 | 7 | xy | 3
--|   5 | 7 | xy | 3
--|   7 | 1 |    | 3
--| (6 rows)
alter table m add column f varchar(5) default 'ab';
--| ALTER TABLE
alter table m alter f type varchar(10), alter c type varchar(3);
--| ALTER TABLE
alter table m alter c type text using c::text;
--| ALTER TABLE
alter table m alter f type varchar(1);
--| ERROR:  22001: value too long for type character varying(1)
select id,b,c,e,f from m order by id;
--|  id | b | c  | e | f
--| ----+---+----+---+----
--|   1 | 7 | xy | 3 | ab
--|   2 | 7 | xy | 3 | ab
--|   3 | 7 | xy | 3 | ab
--|   4 | 7 | xy | 3 | ab
--|   5 | 7 | xy | 3 | ab
--|   7 | 1 |    | 3 | ab
--| (6 rows)
alter table m drop column b; alter table m add column b numeric(5,2) default 1.5;
--| ALTER TABLE
--| ALTER TABLE
select * from (select id,a,c,e,f,b from m) q order by id;
--|  id |  a  | c  | e | f  |  b
--| ----+-----+----+---+----+------
--|   1 | r1  | xy | 3 | ab | 1.50
--|   2 | r2! | xy | 3 | ab | 1.50
--|   3 | r3  | xy | 3 | ab | 1.50
--|   4 | r4  | xy | 3 | ab | 1.50
--|   5 | r5  | xy | 3 | ab | 1.50
--|   7 | r7  |    | 3 | ab | 1.50
--| (6 rows)
alter table m alter b type numeric(7,2); alter table m alter b type numeric(7,3); 
--| ALTER TABLE
--| ALTER TABLE
select b from m limit 2;
--|    b
--| -------
--|  1.500
--|  1.500
--| (2 rows)
alter table m add column g int default 1/0;
--| ERROR:  22012: division by zero
begin; alter table m add column h int default 5; select sum(h) from m; update m set h=h+1 where id<3; select sum(h) from m; rollback;
--| BEGIN
--| ALTER TABLE
--|  sum
--| -----
--|   30
--| (1 row)
--| UPDATE 2
--|  sum
--| -----
--|   32
--| (1 row)
--| ROLLBACK
select * from m where false;
--|  id | a | c | d | e | f | b
--| ----+---+---+---+---+---+---
--| (0 rows)
alter table m add column h int check (h>3) default 2;
--| ERROR:  23514: check constraint "m_h_check" of relation "m" is violated by some row
alter table m add column h int check (h>3) default 5;
--| ALTER TABLE
select sum(h) from m;
--|  sum
--| -----
--|   30
--| (1 row)
create table n(id int); insert into n values(1),(2);
--| CREATE TABLE
--| INSERT 0 2
alter table n add column u int unique default 3;
--| ERROR:  23505: could not create unique index "n_u_key"
--| DETAIL:  Key (u)=(3) is duplicated.
alter table n add column u int default 3, add constraint p primary key (id);
--| ALTER TABLE
alter table n add column k int generated always as (u*2) stored;
--| ALTER TABLE
alter table n add column arr int[] default '{1,2}', add j jsonb default '{"a":1}';
--| ALTER TABLE
create type mood as enum('a','b'); alter table n add column mm mood default 'b';
--| CREATE TYPE
--| ALTER TABLE
create domain dd as int default 4; create domain dc as int default 4 check(value>3);
--| CREATE DOMAIN
--| CREATE DOMAIN
alter table n add column x1 dd; alter table n add x2 dc;
--| ALTER TABLE
--| ALTER TABLE
alter table n add x3 dc default 2;
--| ERROR:  23514: value for domain dc violates check constraint "dc_check"
select * from n order by id; table n;
--|  id | u | k |  arr  |    j     | mm | x1 | x2
--| ----+---+---+-------+----------+----+----+----
--|   1 | 3 | 6 | {1,2} | {"a": 1} | b  |  4 |  4
--|   2 | 3 | 6 | {1,2} | {"a": 1} | b  |  4 |  4
--| (2 rows)
--|  id | u | k |  arr  |    j     | mm | x1 | x2
--| ----+---+---+-------+----------+----+----+----
--|   1 | 3 | 6 | {1,2} | {"a": 1} | b  |  4 |  4
--|   2 | 3 | 6 | {1,2} | {"a": 1} | b  |  4 |  4
--| (2 rows)
delete from n where u=3 and id=1 returning *;
--|  id | u | k |  arr  |    j     | mm | x1 | x2
--| ----+---+---+-------+----------+----+----+----
--|   1 | 3 | 6 | {1,2} | {"a": 1} | b  |  4 |  4
--| (1 row)
--| DELETE 1
select * from n; 
--|  id | u | k |  arr  |    j     | mm | x1 | x2
--| ----+---+---+-------+----------+----+----+----
--|   2 | 3 | 6 | {1,2} | {"a": 1} | b  |  4 |  4
--| (1 row)
create table fk(id int references n, nn int not null default 2); insert into fk values(2);
--| CREATE TABLE
--| INSERT 0 1
create table o(id int primary key); insert into o values(7),(8); insert into fk select 2,7;
--| CREATE TABLE
--| INSERT 0 2
--| INSERT 0 1
alter table fk add column o int default 7 references o; select * from fk;
--| ALTER TABLE
--|  id | nn | o
--| ----+----+---
--|   2 |  2 | 7
--|   2 |  7 | 7
--| (2 rows)
alter table fk add column o2 int default 9 references o;
--| ERROR:  23503: insert or update on table "fk" violates foreign key constraint "fk_o2_fkey"
--| DETAIL:  Key (o2)=(9) is not present in table "o".
merge into fk using n on fk.id=n.id when matched then update set nn=o returning fk.*;
--|  id | nn | o
--| ----+----+---
--|   2 |  7 | 7
--|   2 |  7 | 7
--| (2 rows)
insert into o values(7) on conflict(id) do update set id=excluded.id+10;
--| ERROR:  23503: update or delete on table "o" violates foreign key constraint "fk_o_fkey" on table "fk"
--| DETAIL:  Key (id)=(7) is still referenced from table "fk".
copy fk to stdout;
--| 2	7	7
--| 2	7	7
