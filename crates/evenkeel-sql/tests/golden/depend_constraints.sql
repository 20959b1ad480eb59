-- What constraints need, and indexes of constraints, as PostgreSQL has it.
create table dpp (a int primary key, b int not null, c int, d text, constraint u unique (b, c) include (d), constraint ck check (b > 0 and c > 0), constraint ck2 check (true));
--| CREATE TABLE
create table dpc (x int references dpp, y int, z int, foreign key (y, z) references dpp (b, c));
--| CREATE TABLE
create index dpi on dpp (c, lower(d)) where b > 1;
--| CREATE INDEX
create unique index dpu on dpp (d);
--| CREATE INDEX
select d.classid::regclass, coalesce(c.conname, d.objid::regclass::text) o, d.objsubid, d.refclassid::regclass, coalesce(rc.conname, d.refobjid::regclass::text) r, d.refobjsubid, d.deptype from pg_depend d left join pg_constraint c on c.oid = d.objid and d.classid = 'pg_constraint'::regclass left join pg_constraint rc on rc.oid = d.refobjid and d.refclassid = 'pg_constraint'::regclass where (d.classid = 'pg_constraint'::regclass and c.conrelid::regclass::text in ('dpp', 'dpc')) or (d.classid = 'pg_class'::regclass and d.objid in (select indexrelid from pg_index where indrelid::regclass::text in ('dpp', 'dpc'))) order by 1, 2, 3, 4, 5, 6, 7;
--|     classid    |       o        | objsubid |  refclassid   |    r     | refobjsubid | deptype
--| ---------------+----------------+----------+---------------+----------+-------------+---------
--|  pg_class      | dpi            |        0 | pg_class      | dpp      |           2 | a
--|  pg_class      | dpi            |        0 | pg_class      | dpp      |           3 | a
--|  pg_class      | dpi            |        0 | pg_class      | dpp      |           4 | a
--|  pg_class      | dpp_pkey       |        0 | pg_constraint | dpp_pkey |           0 | i
--|  pg_class      | dpu            |        0 | pg_class      | dpp      |           4 | a
--|  pg_class      | u              |        0 | pg_constraint | u        |           0 | i
--|  pg_constraint | ck             |        0 | pg_class      | dpp      |           2 | a
--|  pg_constraint | ck             |        0 | pg_class      | dpp      |           2 | n
--|  pg_constraint | ck             |        0 | pg_class      | dpp      |           3 | a
--|  pg_constraint | ck             |        0 | pg_class      | dpp      |           3 | n
--|  pg_constraint | ck2            |        0 | pg_class      | dpp      |           0 | a
--|  pg_constraint | dpc_x_fkey     |        0 | pg_class      | dpc      |           1 | a
--|  pg_constraint | dpc_x_fkey     |        0 | pg_class      | dpp      |           1 | n
--|  pg_constraint | dpc_x_fkey     |        0 | pg_class      | dpp_pkey |           0 | n
--|  pg_constraint | dpc_y_z_fkey   |        0 | pg_class      | dpc      |           2 | a
--|  pg_constraint | dpc_y_z_fkey   |        0 | pg_class      | dpc      |           3 | a
--|  pg_constraint | dpc_y_z_fkey   |        0 | pg_class      | dpp      |           2 | n
--|  pg_constraint | dpc_y_z_fkey   |        0 | pg_class      | dpp      |           3 | n
--|  pg_constraint | dpc_y_z_fkey   |        0 | pg_class      | u        |           0 | n
--|  pg_constraint | dpp_a_not_null |        0 | pg_class      | dpp      |           1 | a
--|  pg_constraint | dpp_b_not_null |        0 | pg_class      | dpp      |           2 | a
--|  pg_constraint | dpp_pkey       |        0 | pg_class      | dpp      |           1 | a
--|  pg_constraint | u              |        0 | pg_class      | dpp      |           2 | a
--|  pg_constraint | u              |        0 | pg_class      | dpp      |           3 | a
--|  pg_constraint | u              |        0 | pg_class      | dpp      |           4 | a
--| (25 rows)

