-- What ALTER TABLE changes the type of keeps its constraints; columns of materialized views are of their query.
create table t (id int primary key, a int check (a > 0), b int not null); insert into t values (1, 5, 5);
--| CREATE TABLE
--| INSERT 0 1
alter table t alter a type int using -a;
--| ERROR:  23514: check constraint "t_a_check" of relation "t" is violated by some row
alter table t alter b type bigint using null::bigint;
--| ERROR:  23502: column "b" of relation "t" contains null values
alter table t alter id type bigint using null::bigint;
--| ERROR:  23502: column "id" of relation "t" contains null values
select * from t;
--|  id | a | b
--| ----+---+---
--|   1 | 5 | 5
--| (1 row)
create table g (a int, e numeric generated always as (a / 10.0) stored check (e <> 1)); insert into g values (9);
--| CREATE TABLE
--| INSERT 0 1
alter table g alter e type int;
--| ERROR:  23514: check constraint "g_e_check" of relation "g" is violated by some row
select * from g;
--|  a |           e
--| ---+------------------------
--|  9 | 0.90000000000000000000
--| (1 row)
drop table t cascade;
--| DROP TABLE
create table t (id int, a int check (a > 0), constraint two check (id < a)); insert into t values (1, 5);
--| CREATE TABLE
--| INSERT 0 1
alter table t alter a type text;
--| ERROR:  42883: operator does not exist: text > integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
insert into t values (2, '7');
--| INSERT 0 1
update t set id = 0;
--| UPDATE 2
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't'::regclass order by 1;
--|  pg_get_constraintdef
--| ----------------------
--|  CHECK ((a > 0))
--|  CHECK ((id < a))
--| (2 rows)
drop table t cascade;
--| DROP TABLE
create table t (a int, b int); insert into t values (1, 2), (3, 4);
--| CREATE TABLE
--| INSERT 0 2
create materialized view mv as select a, b from t;
--| SELECT 2
alter table mv add column c int;
--| ERROR:  42809: ALTER action ADD COLUMN cannot be performed on relation "mv"
--| DETAIL:  This operation is not supported for materialized views.
alter table mv alter column b set not null;
--| ERROR:  42809: ALTER action ALTER COLUMN ... SET NOT NULL cannot be performed on relation "mv"
--| DETAIL:  This operation is not supported for materialized views.
alter table mv alter column a type text;
--| ERROR:  42809: ALTER action ALTER COLUMN ... SET DATA TYPE cannot be performed on relation "mv"
--| DETAIL:  This operation is not supported for materialized views.
insert into t values (5, null);
--| INSERT 0 1
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
select * from mv;
--|  a | b
--| ---+---
--|  1 | 2
--|  3 | 4
--|  5 |
--| (3 rows)
alter table mv drop column a;
--| ERROR:  42809: ALTER action DROP COLUMN cannot be performed on relation "mv"
--| DETAIL:  This operation is not supported for materialized views.
alter table mv add constraint k check (b > 100);
--| ERROR:  42809: ALTER action ADD CONSTRAINT cannot be performed on relation "mv"
--| DETAIL:  This operation is not supported for materialized views.
alter table mv add primary key (b);
--| ERROR:  42809: ALTER action ADD CONSTRAINT cannot be performed on relation "mv"
--| DETAIL:  This operation is not supported for materialized views.
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
select * from mv;
--|  a | b
--| ---+---
--|  1 | 2
--|  3 | 4
--|  5 |
--| (3 rows)
drop table t cascade;
--| NOTICE:  drop cascades to materialized view mv
--| DROP TABLE
create table t (a text, n int); insert into t values ('X', 1);
--| CREATE TABLE
--| INSERT 0 1
create materialized view mv as select a, n from t;
--| SELECT 1
create index mv_l on mv (lower(a)); create unique index mv_u on mv (a) where n > 0;
--| CREATE INDEX
--| CREATE INDEX
alter materialized view mv rename column a to b;
--| ALTER MATERIALIZED VIEW
alter materialized view mv rename n to m;
--| ALTER MATERIALIZED VIEW
refresh materialized view mv;
--| REFRESH MATERIALIZED VIEW
select * from mv where lower(b) = 'x';
--|  b | m
--| ---+---
--|  X | 1
--| (1 row)
select pg_get_indexdef('mv_l'::regclass), pg_get_indexdef('mv_u'::regclass);
--|                     pg_get_indexdef                    |                           pg_get_indexdef
--| -------------------------------------------------------+---------------------------------------------------------------------
--|  CREATE INDEX mv_l ON public.mv USING btree (lower(b)) | CREATE UNIQUE INDEX mv_u ON public.mv USING btree (b) WHERE (m > 0)
--| (1 row)
drop table t cascade;
--| NOTICE:  drop cascades to materialized view mv
--| DROP TABLE

create table p (id int primary key); create table c (p int references p);
--| CREATE TABLE
--| CREATE TABLE
insert into p values (1), (2); insert into c values (1), (2);
--| INSERT 0 2
--| INSERT 0 2
alter table c alter p type int using p + 100;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(101) is not present in table "p".
alter table p alter id type int using id + 500;
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(1) is not present in table "p".
alter table p alter id type int using id + 0;
--| ALTER TABLE
alter table c alter p type int using p + 0;
--| ALTER TABLE
alter table c alter p type int using 3 - p;
--| ALTER TABLE
insert into c values (3);
--| ERROR:  23503: insert or update on table "c" violates foreign key constraint "c_p_fkey"
--| DETAIL:  Key (p)=(3) is not present in table "p".
delete from p where id = 1;
--| ERROR:  23503: update or delete on table "p" violates foreign key constraint "c_p_fkey" on table "c"
--| DETAIL:  Key (id)=(1) is still referenced from table "c".
select c.p, p.id from c left join p on p.id = c.p order by 1;
--|  p | id
--| ---+----
--|  1 |  1
--|  2 |  2
--| (2 rows)
create table x (id int, a int, b int); insert into x values (1, 1, 2), (2, 3, 4);
--| CREATE TABLE
--| INSERT 0 2
alter table x alter a type int using b, alter b type int using a;
--| ERROR:  0A000: USING for column "a" reads column "b", whose type the same statement changes: this is not supported
--| HINT:  Change the types in statements of their own.
alter table x alter a type int using 1, alter a type bigint;
--| ERROR:  0A000: cannot alter type of column "a" twice
alter table x alter a type bigint using a + 1, alter b type text using 'b' || b;
--| ALTER TABLE
select a, b from x order by id;
--|  a | b
--| ---+----
--|  2 | b2
--|  4 | b4
--| (2 rows)

create table nv (a int, b int); insert into nv values (null, 1), (null, 2), (1, 3);
--| CREATE TABLE
--| INSERT 0 3
alter table nv add constraint nn not null a not valid;
--| ALTER TABLE
alter table nv add primary key (a);
--| ERROR:  55000: cannot create primary key on column "a"
--| DETAIL:  The constraint "nn" on column "a" of table "nv", marked NOT VALID, is incompatible with a primary key.
--| HINT:  You might need to validate it using ALTER TABLE ... VALIDATE CONSTRAINT.
delete from nv where a is null;
--| DELETE 2
alter table nv validate constraint nn;
--| ALTER TABLE
alter table nv add primary key (a);
--| ALTER TABLE
