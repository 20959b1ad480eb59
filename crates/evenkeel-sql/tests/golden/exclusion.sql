create table access (id int primary key, name text, model text, active bool default true,
  constraint one_active exclude (name with =, model with =) where (active = true));
--| CREATE TABLE
insert into access values (1, 'a', 'm', true), (2, 'a', 'm', false), (3, null, 'm', true), (4, null, 'm', true);
--| INSERT 0 4
insert into access values (5, 'a', 'm', true);
--| ERROR:  23P01: conflicting key value violates exclusion constraint "one_active"
--| DETAIL:  Key (name, model)=(a, m) conflicts with existing key (name, model)=(a, m).
update access set active = true where id = 2;
--| ERROR:  23P01: conflicting key value violates exclusion constraint "one_active"
--| DETAIL:  Key (name, model)=(a, m) conflicts with existing key (name, model)=(a, m).
update access set active = false where id = 1;
--| UPDATE 1
update access set active = true where id = 2;
--| UPDATE 1
insert into access values (1, 'b', 'm', true);
--| ERROR:  23505: duplicate key value violates unique constraint "access_pkey"
--| DETAIL:  Key (id)=(1) already exists.
insert into access values (6, 'a', 'm', true) on conflict do nothing;
--| INSERT 0 0
insert into access values (6, 'a', 'm', true) on conflict on constraint one_active do nothing;
--| INSERT 0 0
insert into access values (6, 'a', 'm', true) on conflict (name, model) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into access values (6, 'a', 'm', true) on conflict (name, model) where active = true do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into access values (6, 'a', 'm', true) on conflict on constraint one_active do update set name = 'x';
--| ERROR:  42809: ON CONFLICT DO UPDATE not supported with exclusion constraints
insert into access values (1, 'z', 'm', true) on conflict (id) do update set name = excluded.name returning *;
--|  id | name | model | active
--| ----+------+-------+--------
--|   1 | z    | m     | f
--| (1 row)
--| INSERT 0 1
select * from access order by id;
--|  id | name | model | active
--| ----+------+-------+--------
--|   1 | z    | m     | f
--|   2 | a    | m     | t
--|   3 |      | m     | t
--|   4 |      | m     | t
--| (4 rows)
select conname, contype, condeferrable, conkey, pg_get_constraintdef(oid) from pg_constraint where conname = 'one_active';
--|   conname   | contype | condeferrable | conkey |                          pg_get_constraintdef
--| ------------+---------+---------------+--------+-------------------------------------------------------------------------
--|  one_active | x       | f             | {2,3}  | EXCLUDE USING btree (name WITH =, model WITH =) WHERE ((active = true))
--| (1 row)
select pg_get_indexdef(indexrelid), indisunique, indisexclusion, indimmediate, indisprimary from pg_index where indexrelid = 'one_active'::regclass;
--|                                      pg_get_indexdef                                      | indisunique | indisexclusion | indimmediate | indisprimary
--| ------------------------------------------------------------------------------------------+-------------+----------------+--------------+--------------
--|  CREATE INDEX one_active ON public.access USING btree (name, model) WHERE (active = true) | f           | t              | t            | f
--| (1 row)
select o.oprname, o.oprleft::regtype, o.oprright::regtype from pg_constraint c, pg_operator o where c.conname = 'one_active' and o.oid = any (c.conexclop);
--|  oprname | oprleft | oprright
--| ---------+---------+----------
--|  =       | text    | text
--| (1 row)
select constraint_name, constraint_type from information_schema.table_constraints where table_name = 'access' and constraint_type <> 'CHECK';
--|  constraint_name | constraint_type
--| -----------------+-----------------
--|  access_pkey     | PRIMARY KEY
--| (1 row)
create table other (a text, b text, foreign key (a, b) references access (name, model));
--| ERROR:  42830: there is no unique constraint matching given keys for referenced table "access"
drop index one_active;
--| ERROR:  2BP01: cannot drop index one_active because constraint one_active on table access requires it
--| HINT:  You can drop constraint one_active on table access instead.
-- names that are chosen, expressions, other classes and methods
create table e (a int, b text, exclude (a with =), exclude using hash (b with =),
  exclude using btree (lower(b) with operator(pg_catalog.=), (a + 1) with =) include (b), exclude (b text_pattern_ops desc with =));
--| CREATE TABLE
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'e'::regclass order by conname;
--|        conname       |                        pg_get_constraintdef
--| ---------------------+---------------------------------------------------------------------
--|  e_a_excl            | EXCLUDE USING btree (a WITH =)
--|  e_b_excl            | EXCLUDE USING hash (b WITH =)
--|  e_b_excl1           | EXCLUDE USING btree (b text_pattern_ops DESC WITH =)
--|  e_lower_expr_b_excl | EXCLUDE USING btree (lower(b) WITH =, ((a + 1)) WITH =) INCLUDE (b)
--| (4 rows)
insert into e values (1, 'x');
--| INSERT 0 1
insert into e values (1, 'y');
--| ERROR:  23P01: conflicting key value violates exclusion constraint "e_a_excl"
--| DETAIL:  Key (a)=(1) conflicts with existing key (a)=(1).
insert into e values (2, 'x');
--| ERROR:  23P01: conflicting key value violates exclusion constraint "e_b_excl"
--| DETAIL:  Key (b)=(x) conflicts with existing key (b)=(x).
insert into e values (null, null), (null, null);
--| INSERT 0 2
create table copied (like e including all);
--| CREATE TABLE
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'copied'::regclass order by conname;
--|          conname          |                        pg_get_constraintdef
--| --------------------------+---------------------------------------------------------------------
--|  copied_a_excl            | EXCLUDE USING btree (a WITH =)
--|  copied_b_excl            | EXCLUDE USING hash (b WITH =)
--|  copied_b_excl1           | EXCLUDE USING btree (b text_pattern_ops DESC WITH =)
--|  copied_lower_expr_b_excl | EXCLUDE USING btree (lower(b) WITH =, ((a + 1)) WITH =) INCLUDE (b)
--| (4 rows)
insert into copied values (1, 'x');
--| INSERT 0 1
insert into copied values (1, 'x');
--| ERROR:  23P01: conflicting key value violates exclusion constraint "copied_a_excl"
--| DETAIL:  Key (a)=(1) conflicts with existing key (a)=(1).
-- added to rows that are there
create table later (a numeric, b int);
--| CREATE TABLE
insert into later values (1, 1), (1.0, 2);
--| INSERT 0 2
alter table later add constraint none_same exclude (a with =);
--| ERROR:  23P01: could not create exclusion constraint "none_same"
--| DETAIL:  Key (a)=(1.0) conflicts with key (a)=(1.0).
delete from later where b = 2;
--| DELETE 1
alter table later add constraint none_same exclude (a with =);
--| ALTER TABLE
insert into later values (1.00, 3);
--| ERROR:  23P01: conflicting key value violates exclusion constraint "none_same"
--| DETAIL:  Key (a)=(1.00) conflicts with existing key (a)=(1).
alter table later add constraint none_same exclude (b with =);
--| ERROR:  42P07: relation "none_same" already exists
alter table later add exclude (b with =);
--| ALTER TABLE
insert into later values (2, 1);
--| ERROR:  23P01: conflicting key value violates exclusion constraint "later_b_excl"
--| DETAIL:  Key (b)=(1) conflicts with existing key (b)=(1).
alter table later rename constraint none_same to renamed;
--| ALTER TABLE
alter index later_b_excl rename to shorter;
--| ALTER INDEX
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'later'::regclass order by conname;
--|  conname |      pg_get_constraintdef
--| ---------+--------------------------------
--|  renamed | EXCLUDE USING btree (a WITH =)
--|  shorter | EXCLUDE USING btree (b WITH =)
--| (2 rows)
alter table later drop constraint renamed;
--| ALTER TABLE
insert into later values (1.00, 3);
--| INSERT 0 1
alter table later alter column b type bigint;
--| ALTER TABLE
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'later'::regclass order by conname;
--|  conname |      pg_get_constraintdef
--| ---------+--------------------------------
--|  shorter | EXCLUDE USING btree (b WITH =)
--| (1 row)
alter table later drop column b;
--| ALTER TABLE
select conname from pg_constraint where conrelid = 'later'::regclass;
--|  conname
--| ---------
--| (0 rows)
-- of an enum, whose name and labels may change
create type ex_state as enum ('on', 'off');
--| CREATE TYPE
create table with_state (s ex_state, n int, v varchar(9), exclude (n with =) where (s = 'on' and v in ('a', 'b')));
--| CREATE TABLE
alter type ex_state rename to ex_mood;
--| ALTER TYPE
alter type ex_mood rename value 'on' to 'up';
--| ALTER TYPE
alter table with_state rename n to number;
--| ALTER TABLE
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'with_state'::regclass order by conname;
--|                                                  pg_get_constraintdef
--| -----------------------------------------------------------------------------------------------------------------------
--|  EXCLUDE USING btree (number WITH =) WHERE (((s = 'up'::ex_mood) AND ((v)::text = ANY (ARRAY['a'::text, 'b'::text]))))
--| (1 row)
insert into with_state values ('up', 1, 'a');
--| INSERT 0 1
insert into with_state values ('up', 1, 'b');
--| ERROR:  23P01: conflicting key value violates exclusion constraint "with_state_n_excl"
--| DETAIL:  Key (number)=(1) conflicts with existing key (number)=(1).
-- looked at later
create table d (a int, exclude (a with =) deferrable initially deferred);
--| CREATE TABLE
begin;
--| BEGIN
insert into d values (1), (1);
--| INSERT 0 2
update d set a = 2 where ctid = (select min(ctid::text)::tid from d);
--| UPDATE 1
commit;
--| COMMIT
begin;
--| BEGIN
insert into d values (7), (7);
--| INSERT 0 2
commit;
--| ERROR:  23P01: conflicting key value violates exclusion constraint "d_a_excl"
--| DETAIL:  Key (a)=(7) conflicts with existing key (a)=(7).
insert into d values (1) on conflict do nothing;
--| ERROR:  55000: ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'd'::regclass;
--|                      pg_get_constraintdef
--| --------------------------------------------------------------
--|  EXCLUDE USING btree (a WITH =) DEFERRABLE INITIALLY DEFERRED
--| (1 row)
-- what is not done
create table g (a int4, exclude using gist (a with =));
--| ERROR:  0A000: exclusion constraints of access method "gist" are not supported; those of btree and hash are
create table g (a int, exclude (a with <>));
--| ERROR:  0A000: exclusion constraints with operator <> are not supported; those with = are
create table g (a int, exclude using gin (a with =));
--| ERROR:  0A000: access method "gin" does not support exclusion constraints
create table g (a int, exclude using nothing (a with =));
--| ERROR:  42704: access method "nothing" does not exist
create table g (a int, exclude using hash (a with =, a with =));
--| ERROR:  0A000: access method "hash" does not support multicolumn indexes
create table g (a json, exclude (a with =));
--| ERROR:  42704: data type json has no default operator class for access method "btree"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create table g (a int, exclude (c with =));
--| ERROR:  42703: column "c" named in key does not exist
create table g (a int, exclude (a with =) where (a > (select 1)));
--| ERROR:  0A000: cannot use subquery in index predicate
create table g (a int primary key, exclude (a with =) not deferrable initially deferred);
--| ERROR:  42601: constraint declared INITIALLY DEFERRED must be DEFERRABLE
