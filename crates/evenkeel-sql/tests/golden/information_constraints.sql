-- information_schema on constraints: the answers are PostgreSQL 18's.
create table parent (a int, b int, c text check (c <> ''), primary key (a, b), constraint uq unique nulls not distinct (c) deferrable initially deferred);
--| CREATE TABLE
create unique index loose on parent (b);
--| CREATE INDEX
create table child (id int generated always as identity, x int not null, y int, z int references parent (b), unique (x),
    constraint fk foreign key (y, x) references parent (b, a) match full on update cascade on delete set null deferrable);
--| CREATE TABLE
create domain positive as int not null check (value > 0);
--| CREATE DOMAIN
select constraint_name, table_name, constraint_type, is_deferrable, initially_deferred, enforced, nulls_distinct
    from information_schema.table_constraints where table_schema = 'public' order by 2, 1;
--|   constraint_name  | table_name | constraint_type | is_deferrable | initially_deferred | enforced | nulls_distinct
--| -------------------+------------+-----------------+---------------+--------------------+----------+----------------
--|  child_id_not_null | child      | CHECK           | NO            | NO                 | YES      |
--|  child_x_key       | child      | UNIQUE          | NO            | NO                 | YES      | YES
--|  child_x_not_null  | child      | CHECK           | NO            | NO                 | YES      |
--|  child_z_fkey      | child      | FOREIGN KEY     | NO            | NO                 | YES      |
--|  fk                | child      | FOREIGN KEY     | YES           | NO                 | YES      |
--|  parent_a_not_null | parent     | CHECK           | NO            | NO                 | YES      |
--|  parent_b_not_null | parent     | CHECK           | NO            | NO                 | YES      |
--|  parent_c_check    | parent     | CHECK           | NO            | NO                 | YES      |
--|  parent_pkey       | parent     | PRIMARY KEY     | NO            | NO                 | YES      |
--|  uq                | parent     | UNIQUE          | YES           | YES                | YES      | NO
--| (10 rows)
select * from information_schema.referential_constraints where constraint_schema = 'public' order by constraint_name;
--|  constraint_catalog | constraint_schema | constraint_name | unique_constraint_catalog | unique_constraint_schema | unique_constraint_name | match_option | update_rule | delete_rule
--| --------------------+-------------------+-----------------+---------------------------+--------------------------+------------------------+--------------+-------------+-------------
--|  b                  | public            | child_z_fkey    |                           |                          |                        | NONE         | NO ACTION   | NO ACTION
--|  b                  | public            | fk              | b                         | public                   | parent_pkey            | FULL         | CASCADE     | SET NULL
--| (2 rows)
select constraint_schema, constraint_name, check_clause from information_schema.check_constraints where constraint_schema = 'public' order by 2;
--|  constraint_schema |  constraint_name  |   check_clause
--| -------------------+-------------------+-------------------
--|  public            | child_id_not_null | id IS NOT NULL
--|  public            | child_x_not_null  | x IS NOT NULL
--|  public            | parent_a_not_null | a IS NOT NULL
--|  public            | parent_b_not_null | b IS NOT NULL
--|  public            | parent_c_check    | (c <> ''::text)
--|  public            | positive_check    | (VALUE > 0)
--|  public            | positive_not_null | VALUE IS NOT NULL
--| (7 rows)
select table_name, constraint_name from information_schema.constraint_table_usage where constraint_schema = 'public' order by 1, 2;
--|  table_name | constraint_name
--| ------------+-----------------
--|  child      | child_x_key
--|  parent     | child_z_fkey
--|  parent     | fk
--|  parent     | parent_pkey
--|  parent     | uq
--| (5 rows)
select constraint_name, column_name, ordinal_position, position_in_unique_constraint from information_schema.key_column_usage
    where table_schema = 'public' order by 1, 3;
--|  constraint_name | column_name | ordinal_position | position_in_unique_constraint
--| -----------------+-------------+------------------+-------------------------------
--|  child_x_key     | x           |                1 |
--|  child_z_fkey    | z           |                1 |                             1
--|  fk              | y           |                1 |                             2
--|  fk              | x           |                2 |                             1
--|  parent_pkey     | a           |                1 |
--|  parent_pkey     | b           |                2 |
--|  uq              | c           |                1 |
--| (7 rows)
create view shown as select id, x + 1 as more from child where x in (1, 2);
--| CREATE VIEW
select view_definition from information_schema.views where table_name = 'shown';
--|          view_definition
--| ----------------------------------
--|   SELECT id,                     +
--|      (x + 1) AS more             +
--|     FROM child                   +
--|    WHERE (x = ANY (ARRAY[1, 2]));
--| (1 row)
select definition from pg_views where viewname = 'shown';
--|             definition
--| ----------------------------------
--|   SELECT id,                     +
--|      (x + 1) AS more             +
--|     FROM child                   +
--|    WHERE (x = ANY (ARRAY[1, 2]));
--| (1 row)
create table odd ("a""b" int not null, "select" int not null, "Q""" int constraint "q""" not null);
--| CREATE TABLE
select constraint_name, check_clause from information_schema.check_constraints where check_clause ~ '^(a|s|Q)' and constraint_name ~ '(odd|q)' order by 1;
--|    constraint_name   |    check_clause
--| ---------------------+--------------------
--|  odd_a"b_not_null    | a"b IS NOT NULL
--|  odd_select_not_null | select IS NOT NULL
--|  q"                  | Q" IS NOT NULL
--| (3 rows)
