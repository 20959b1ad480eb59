-- A key of the same columns that is said twice is one; its index may have parameters, and no key is NOT VALID.
create table a1 (id int primary key unique, b int unique, unique (b), c int unique, constraint cc unique (c));
--| CREATE TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 'a1'::regclass and contype <> 'n' order by conname;
--|  conname  | contype | pg_get_constraintdef |                      pg_get_indexdef
--| ----------+---------+----------------------+-----------------------------------------------------------
--|  a1_b_key | u       | UNIQUE (b)           | CREATE UNIQUE INDEX a1_b_key ON public.a1 USING btree (b)
--|  a1_pkey  | p       | PRIMARY KEY (id)     | CREATE UNIQUE INDEX a1_pkey ON public.a1 USING btree (id)
--|  cc       | u       | UNIQUE (c)           | CREATE UNIQUE INDEX cc ON public.a1 USING btree (c)
--| (3 rows)
create table a2 (id int unique, primary key (id), x int unique deferrable, unique (x), y int, unique (y) include (x), unique (y), unique nulls not distinct (y));
--| CREATE TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 'a2'::regclass and contype <> 'n' order by conname;
--|   conname   | contype |     pg_get_constraintdef      |                                pg_get_indexdef
--| ------------+---------+-------------------------------+-------------------------------------------------------------------------------
--|  a2_pkey    | p       | PRIMARY KEY (id)              | CREATE UNIQUE INDEX a2_pkey ON public.a2 USING btree (id)
--|  a2_x_key   | u       | UNIQUE (x) DEFERRABLE         | CREATE UNIQUE INDEX a2_x_key ON public.a2 USING btree (x)
--|  a2_x_key1  | u       | UNIQUE (x)                    | CREATE UNIQUE INDEX a2_x_key1 ON public.a2 USING btree (x)
--|  a2_y_key   | u       | UNIQUE (y)                    | CREATE UNIQUE INDEX a2_y_key ON public.a2 USING btree (y)
--|  a2_y_key1  | u       | UNIQUE NULLS NOT DISTINCT (y) | CREATE UNIQUE INDEX a2_y_key1 ON public.a2 USING btree (y) NULLS NOT DISTINCT
--|  a2_y_x_key | u       | UNIQUE (y) INCLUDE (x)        | CREATE UNIQUE INDEX a2_y_x_key ON public.a2 USING btree (y) INCLUDE (x)
--| (6 rows)
create table a3 (id int constraint one unique, constraint two primary key (id));
--| CREATE TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 'a3'::regclass and contype <> 'n' order by conname;
--|  conname | contype | pg_get_constraintdef |                    pg_get_indexdef
--| ---------+---------+----------------------+-------------------------------------------------------
--|  two     | p       | PRIMARY KEY (id)     | CREATE UNIQUE INDEX two ON public.a3 USING btree (id)
--| (1 row)
create table a4 (id int constraint one unique primary key);
--| CREATE TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 'a4'::regclass and contype <> 'n' order by conname;
--|  conname | contype | pg_get_constraintdef |                    pg_get_indexdef
--| ---------+---------+----------------------+-------------------------------------------------------
--|  one     | p       | PRIMARY KEY (id)     | CREATE UNIQUE INDEX one ON public.a4 USING btree (id)
--| (1 row)
create table a5 (id int primary key, constraint named unique (id));
--| CREATE TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 'a5'::regclass and contype <> 'n' order by conname;
--|  conname | contype | pg_get_constraintdef |                     pg_get_indexdef
--| ---------+---------+----------------------+---------------------------------------------------------
--|  named   | p       | PRIMARY KEY (id)     | CREATE UNIQUE INDEX named ON public.a5 USING btree (id)
--| (1 row)
create table a6 (a int, b int, unique (a, b), unique (b, a), unique (a, b) deferrable, unique (a,b) not deferrable);
--| CREATE TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 'a6'::regclass and contype <> 'n' order by conname;
--|    conname   | contype |   pg_get_constraintdef   |                         pg_get_indexdef
--| -------------+---------+--------------------------+-----------------------------------------------------------------
--|  a6_a_b_key  | u       | UNIQUE (a, b)            | CREATE UNIQUE INDEX a6_a_b_key ON public.a6 USING btree (a, b)
--|  a6_a_b_key1 | u       | UNIQUE (a, b) DEFERRABLE | CREATE UNIQUE INDEX a6_a_b_key1 ON public.a6 USING btree (a, b)
--|  a6_b_a_key  | u       | UNIQUE (b, a)            | CREATE UNIQUE INDEX a6_b_a_key ON public.a6 USING btree (b, a)
--| (3 rows)
create table a7 (id int primary key primary key);
--| ERROR:  42P16: multiple primary keys for table "a7" are not allowed
create table a8 (id int primary key, primary key (id));
--| ERROR:  42P16: multiple primary keys for table "a8" are not allowed
alter table a6 add column z int unique unique;
--| ALTER TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 'a6'::regclass and contype <> 'n' order by conname;
--|    conname   | contype |   pg_get_constraintdef   |                         pg_get_indexdef
--| -------------+---------+--------------------------+-----------------------------------------------------------------
--|  a6_a_b_key  | u       | UNIQUE (a, b)            | CREATE UNIQUE INDEX a6_a_b_key ON public.a6 USING btree (a, b)
--|  a6_a_b_key1 | u       | UNIQUE (a, b) DEFERRABLE | CREATE UNIQUE INDEX a6_a_b_key1 ON public.a6 USING btree (a, b)
--|  a6_b_a_key  | u       | UNIQUE (b, a)            | CREATE UNIQUE INDEX a6_b_a_key ON public.a6 USING btree (b, a)
--|  a6_z_key    | u       | UNIQUE (z)               | CREATE UNIQUE INDEX a6_z_key ON public.a6 USING btree (z)
--| (4 rows)
create table t (a int, b int, c int, primary key (a) include (b) with (fillfactor = 50, deduplicate_items), unique (b) with (fillfactor='70') using index tablespace pg_default deferrable);
--| CREATE TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 't'::regclass and contype <> 'n' order by conname;
--|  conname | contype |    pg_get_constraintdef     |                                                   pg_get_indexdef
--| ---------+---------+-----------------------------+---------------------------------------------------------------------------------------------------------------------
--|  t_b_key | u       | UNIQUE (b) DEFERRABLE       | CREATE UNIQUE INDEX t_b_key ON public.t USING btree (b) WITH (fillfactor='70')
--|  t_pkey  | p       | PRIMARY KEY (a) INCLUDE (b) | CREATE UNIQUE INDEX t_pkey ON public.t USING btree (a) INCLUDE (b) WITH (fillfactor='50', deduplicate_items='true')
--| (2 rows)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't'::regclass order by 1;
--|     pg_get_constraintdef
--| -----------------------------
--|  NOT NULL a
--|  PRIMARY KEY (a) INCLUDE (b)
--|  UNIQUE (b) DEFERRABLE
--| (3 rows)
alter table t add constraint u unique nulls not distinct (c) with (fillfactor=90);
--| ALTER TABLE
alter table only t add constraint u2 unique (c, b) with (fillfactor=5);
--| ERROR:  22023: value 5 out of bounds for option "fillfactor"
--| DETAIL:  Valid values are between "10" and "100".
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't'::regclass order by 1;
--|      pg_get_constraintdef
--| -------------------------------
--|  NOT NULL a
--|  PRIMARY KEY (a) INCLUDE (b)
--|  UNIQUE (b) DEFERRABLE
--|  UNIQUE NULLS NOT DISTINCT (c)
--| (4 rows)
alter table t add constraint x exclude (a with =) not valid;
--| ERROR:  0A000: EXCLUDE constraints cannot be marked NOT VALID
alter table t add constraint z unique (a) not valid;
--| ERROR:  0A000: UNIQUE constraints cannot be marked NOT VALID
alter table t add constraint z2 primary key (a) not valid;
--| ERROR:  0A000: PRIMARY KEY constraints cannot be marked NOT VALID
create table t2 (a int, constraint t2_a_excl check (a > 0), constraint t2_a_key check (a < 9));
--| CREATE TABLE
alter table t2 add exclude (a with =);
--| ALTER TABLE
alter table t2 add unique (a);
--| ALTER TABLE
select conname, contype, pg_get_constraintdef(oid), pg_get_indexdef(conindid) from pg_constraint where conrelid = 't2'::regclass and contype <> 'n' order by conname;
--|   conname   | contype |      pg_get_constraintdef      |                      pg_get_indexdef
--| ------------+---------+--------------------------------+------------------------------------------------------------
--|  t2_a_excl  | c       | CHECK ((a > 0))                |
--|  t2_a_excl1 | x       | EXCLUDE USING btree (a WITH =) | CREATE INDEX t2_a_excl1 ON public.t2 USING btree (a)
--|  t2_a_key   | c       | CHECK ((a < 9))                |
--|  t2_a_key1  | u       | UNIQUE (a)                     | CREATE UNIQUE INDEX t2_a_key1 ON public.t2 USING btree (a)
--| (4 rows)
create temp table tt (a int) with (fillfactor = 60) on commit drop;
--| CREATE TABLE
