-- Writing through views: rows of a table, seen through one view or several.

create table b (id int primary key, a text default 'base', n int check (n < 1000), g int generated always as (n * 2) stored);
--| CREATE TABLE
create view v as select id, a as label, n, g, upper(a) as loud from b where n > 0 or n is null;
--| CREATE VIEW
insert into v (id, label, n) values (1, 'one', 10), (2, 'two', 20);
--| INSERT 0 2
insert into v (id) values (3);
--| INSERT 0 1
insert into v (id, n) select 4, 40;
--| INSERT 0 1
insert into v values (5, default, 50);
--| INSERT 0 1
insert into v values (6, 'six', -6) returning *;
--|  id | label | n  |  g  | loud
--| ----+-------+----+-----+------
--|   6 | six   | -6 | -12 | SIX
--| (1 row)
--| INSERT 0 1
table v order by id;
--|  id | label | n  |  g  | loud
--| ----+-------+----+-----+------
--|   1 | one   | 10 |  20 | ONE
--|   2 | two   | 20 |  40 | TWO
--|   3 | base  |    |     | BASE
--|   4 | base  | 40 |  80 | BASE
--|   5 | base  | 50 | 100 | BASE
--| (5 rows)
table b order by id;
--|  id |  a   | n  |  g
--| ----+------+----+-----
--|   1 | one  | 10 |  20
--|   2 | two  | 20 |  40
--|   3 | base |    |
--|   4 | base | 40 |  80
--|   5 | base | 50 | 100
--|   6 | six  | -6 | -12
--| (6 rows)
insert into v values (7, 'x', 1, default, default);
--| ERROR:  0A000: cannot insert into column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
insert into v (id, loud) values (8, 'X');
--| ERROR:  0A000: cannot insert into column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
insert into v (id, nope) values (8, 'X');
--| ERROR:  42703: column "nope" of relation "v" does not exist
insert into v (id, id) values (8, 9);
--| ERROR:  42701: column "id" specified more than once
insert into v (id, g) values (8, 9);
--| ERROR:  428C9: cannot insert a non-DEFAULT value into column "g"
--| DETAIL:  Column "g" is a generated column.
insert into v (id, label) values (8, 9, 10);
--| ERROR:  42601: INSERT has more expressions than target columns
insert into v (id, label) values (now(), 'x');
--| ERROR:  42804: column "id" is of type integer but expression is of type timestamp with time zone
--| HINT:  You will need to rewrite or cast the expression.
insert into v (id) values (1);
--| ERROR:  23505: duplicate key value violates unique constraint "b_pkey"
--| DETAIL:  Key (id)=(1) already exists.
insert into v (id, n) values (9, 5000);
--| ERROR:  23514: new row for relation "b" violates check constraint "b_n_check"
--| DETAIL:  Failing row contains (9, base, 5000, 10000).
update v set label = label || '!', n = n + 1 where id = 1 returning id, label, loud, g, v.n;
--|  id | label | loud | g  | n
--| ----+-------+------+----+----
--|   1 | one!  | ONE! | 22 | 11
--| (1 row)
--| UPDATE 1
update v set loud = 'x';
--| ERROR:  0A000: cannot update column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
update v set nope = 1;
--| ERROR:  42703: column "nope" of relation "v" does not exist
update v set n = 1, n = 2;
--| ERROR:  42601: multiple assignments to same column "n"
update v set n = true;
--| ERROR:  42804: column "n" is of type integer but expression is of type boolean
--| HINT:  You will need to rewrite or cast the expression.
update v set (label, n) = (select 'sub', 77) where id = 2 returning *;
--|  id | label | n  |  g  | loud
--| ----+-------+----+-----+------
--|   2 | sub   | 77 | 154 | SUB
--| (1 row)
--| UPDATE 1
update v x set n = x.n + 1 from b where b.id = x.id and x.loud = 'SUB' returning x.*, b.a;
--|  id | label | n  |  g  | loud |  a
--| ----+-------+----+-----+------+-----
--|   2 | sub   | 78 | 156 | SUB  | sub
--| (1 row)
--| UPDATE 1
-- What is not seen is not changed.
update v set n = 1 where id = 6;
--| UPDATE 0
delete from v where id = 6;
--| DELETE 0
update v set n = -1 where id = 4 returning *;
--|  id | label | n  | g  | loud
--| ----+-------+----+----+------
--|   4 | base  | -1 | -2 | BASE
--| (1 row)
--| UPDATE 1
delete from v using b where b.id = v.id and v.label = 'one!' returning v.loud;
--|  loud
--| ------
--|  ONE!
--| (1 row)
--| DELETE 1
delete from v where loud = 'BASE' returning id, n;
--|  id | n
--| ----+----
--|   3 |
--|   5 | 50
--| (2 rows)
--| DELETE 2
update v set n = default where id = 2 returning *;
--|  id | label | n | g | loud
--| ----+-------+---+---+------
--|   2 | sub   |   |   | SUB
--| (1 row)
--| UPDATE 1
table b order by id;
--|  id |  a   | n  |  g
--| ----+------+----+-----
--|   2 | sub  |    |
--|   4 | base | -1 |  -2
--|   6 | six  | -6 | -12
--| (3 rows)

-- ON CONFLICT, by the view's names.
insert into v (id, label) values (2, 'again') on conflict (id) do nothing;
--| INSERT 0 0
insert into v as w (id, label, n) values (2, 'again', 5) on conflict (id) do update set label = w.label || '+' || excluded.label || excluded.loud, n = excluded.n returning *;
--|  id |     label      | n | g  |      loud
--| ----+----------------+---+----+----------------
--|   2 | sub+againAGAIN | 5 | 10 | SUB+AGAINAGAIN
--| (1 row)
--| INSERT 0 1
insert into v (id, label, n) values (2, 'again', 5) on conflict (id) do update set loud = 'x';
--| ERROR:  0A000: cannot insert into column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
insert into v (id, label, n) values (2, 'again', 5) on conflict on constraint b_pkey do nothing;
--| ERROR:  42704: constraint "b_pkey" for table "v" does not exist
insert into v (id, label, n) values (2, 'again', 5) on conflict (loud) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into v (id, label, n) values (2, 'again', 5) on conflict (label) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into b (id, a, n) values (20, 'hidden', -1);
--| INSERT 0 1
insert into v (id, label, n) values (20, 'seen', 3) on conflict (id) do update set n = excluded.n where v.n < 0 returning *;
--|  id | label  | n | g |  loud
--| ----+--------+---+---+--------
--|  20 | hidden | 3 | 6 | HIDDEN
--| (1 row)
--| INSERT 0 1

-- MERGE.
merge into v using (values (2, 'm'), (30, 'new')) s (id, t) on v.id = s.id when matched then update set label = s.t when not matched then insert (id, label) values (s.id, s.t) returning merge_action(), v.*;
--|  merge_action | id | label | n | g  | loud
--| --------------+----+-------+---+----+------
--|  UPDATE       |  2 | m     | 5 | 10 | M
--|  INSERT       | 30 | new   |   |    | NEW
--| (2 rows)
merge into v using (values (30)) s (id) on v.id = s.id when matched then delete returning merge_action(), v.id;
--|  merge_action | id
--| --------------+----
--|  DELETE       | 30
--| (1 row)
merge into v using (values (30)) s (id) on v.id = s.id when not matched then insert (id, loud) values (1, 'x');
--| ERROR:  0A000: cannot merge into column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
merge into v using (values (2)) s (id) on v.id = s.id when matched then update set loud = 'x';
--| ERROR:  0A000: cannot merge into column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.

-- A view's own defaults come before the table's.
alter view v alter column label set default 'of the view';
--| ALTER VIEW
insert into v (id) values (40) returning *;
--|  id |    label    | n | g |    loud
--| ----+-------------+---+---+-------------
--|  40 | of the view |   |   | OF THE VIEW
--| (1 row)
--| INSERT 0 1
insert into v values (41, default) returning *;
--|  id |    label    | n | g |    loud
--| ----+-------------+---+---+-------------
--|  41 | of the view |   |   | OF THE VIEW
--| (1 row)
--| INSERT 0 1
update v set label = default where id = 2 returning *;
--|  id |    label    | n | g  |    loud
--| ----+-------------+---+----+-------------
--|   2 | of the view | 5 | 10 | OF THE VIEW
--| (1 row)
--| UPDATE 1
insert into b (id) values (42) returning *;
--|  id |  a   | n | g
--| ----+------+---+---
--|  42 | base |   |
--| (1 row)
--| INSERT 0 1
alter view v alter column label drop default;
--| ALTER VIEW
insert into v (id) values (43) returning *;
--|  id | label | n | g | loud
--| ----+-------+---+---+------
--|  43 | base  |   |   | BASE
--| (1 row)
--| INSERT 0 1

-- Views over views.
create view w as select label as l, id as i, loud from v where id < 100;
--| CREATE VIEW
insert into w values ('w', 50);
--| INSERT 0 1
insert into w values ('w', 51, 'x');
--| ERROR:  0A000: cannot insert into column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
update w set l = 'W' where i = 50 returning *;
--|  l | i  | loud
--| ---+----+------
--|  W | 50 | W
--| (1 row)
--| UPDATE 1
update w set loud = 'x';
--| ERROR:  0A000: cannot update column "loud" of view "v"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
alter view v alter column n set default 9;
--| ALTER VIEW
insert into w (i) values (52);
--| INSERT 0 1
table b order by id;
--|  id |      a      | n  |  g
--| ----+-------------+----+-----
--|   2 | of the view |  5 |  10
--|   4 | base        | -1 |  -2
--|   6 | six         | -6 | -12
--|  20 | hidden      |  3 |   6
--|  40 | of the view |    |
--|  41 | of the view |    |
--|  42 | base        |    |
--|  43 | base        |    |
--|  50 | W           |    |
--|  52 | base        |  9 |  18
--| (10 rows)
delete from w where i > 40 returning i;
--|  i
--| ----
--|  41
--|  42
--|  43
--|  50
--|  52
--| (5 rows)
--| DELETE 5
create view x (p, q) as select t.p, t.q from w as t (p, q) where t.q <> 2;
--| CREATE VIEW
insert into x values ('px', 60) returning *;
--|  p  | q
--| ----+----
--|  px | 60
--| (1 row)
--| INSERT 0 1
update x set p = p || q where q = 60 returning p;
--|   p
--| ------
--|  px60
--| (1 row)
--| UPDATE 1
delete from x where q = 60;
--| DELETE 1

-- Check options.
create view cl as select id, n from b where n > 0 with local check option;
--| CREATE VIEW
create view cc as select id, n from cl where n < 100 with cascaded check option;
--| CREATE VIEW
create view c0 as select id, n from b where n <> 50;
--| CREATE VIEW
create view c1 as select id, n from c0 where n < 100 with local check option;
--| CREATE VIEW
create view c2 as select id, n from c0 where n < 100 with check option;
--| CREATE VIEW
insert into cl values (70, -1);
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (70, base, -1, -2).
insert into cl values (70, null);
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (70, base, null, null).
insert into cl values (70, 1);
--| INSERT 0 1
insert into cc values (71, -1);
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (71, base, -1, -2).
insert into cc values (71, 101);
--| ERROR:  44000: new row violates check option for view "cc"
--| DETAIL:  Failing row contains (71, base, 101, 202).
insert into cc values (71, 99);
--| INSERT 0 1
insert into c1 values (72, 50);
--| INSERT 0 1
insert into c2 values (73, 50);
--| ERROR:  44000: new row violates check option for view "c0"
--| DETAIL:  Failing row contains (73, base, 50, 100).
insert into c1 values (73, 100);
--| ERROR:  44000: new row violates check option for view "c1"
--| DETAIL:  Failing row contains (73, base, 100, 200).
update cl set n = -n where id = 71;
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (71, base, -99, -198).
update cc set n = n + 10 where id = 71;
--| ERROR:  44000: new row violates check option for view "cc"
--| DETAIL:  Failing row contains (71, base, 109, 218).
update c2 set n = 50 where id = 71;
--| ERROR:  44000: new row violates check option for view "c0"
--| DETAIL:  Failing row contains (71, base, 50, 100).
merge into cl using (values (71)) s (id) on s.id = cl.id when matched then update set n = -1;
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (71, base, -1, -2).
merge into cl using (values (75)) s (id) on s.id = cl.id when not matched then insert values (75, 0);
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (75, base, 0, 0).
insert into cl values (71, 5) on conflict (id) do update set n = -5;
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (71, base, -5, -10).
create view c3 as select id, n from cc;
--| CREATE VIEW
insert into c3 values (74, 100);
--| ERROR:  44000: new row violates check option for view "cc"
--| DETAIL:  Failing row contains (74, base, 100, 200).
create view cs as select id, n from b where id in (select id from b where n = 99) with check option;
--| CREATE VIEW
update cs set n = 98;
--| UPDATE 1
update cs set n = 97, id = 171;
--| UPDATE 0
select table_name, check_option, is_updatable, is_insertable_into from information_schema.views where table_schema = 'public' order by 1;
--|  table_name | check_option | is_updatable | is_insertable_into
--| ------------+--------------+--------------+--------------------
--|  c0         | NONE         | YES          | YES
--|  c1         | LOCAL        | YES          | YES
--|  c2         | CASCADED     | YES          | YES
--|  c3         | NONE         | YES          | YES
--|  cc         | CASCADED     | YES          | YES
--|  cl         | LOCAL        | YES          | YES
--|  cs         | CASCADED     | YES          | YES
--|  v          | NONE         | YES          | YES
--|  w          | NONE         | YES          | YES
--|  x          | NONE         | YES          | YES
--| (10 rows)
select count(*) from pg_views where viewname = 'cl';
--|  count
--| -------
--|      1
--| (1 row)
select relname, reloptions from pg_class where relname in ('cl', 'cc', 'c2') order by 1;
--|  relname |       reloptions
--| ---------+-------------------------
--|  c2      | {check_option=cascaded}
--|  cc      | {check_option=cascaded}
--|  cl      | {check_option=local}
--| (3 rows)
alter view cl reset (check_option);
--| ALTER VIEW
insert into cl values (76, -1);
--| INSERT 0 1
alter view cl set (check_option = cascaded);
--| ALTER VIEW
insert into cl values (77, -1);
--| ERROR:  44000: new row violates check option for view "cl"
--| DETAIL:  Failing row contains (77, base, -1, -2).
alter view cl set (check_option = maybe);
--| ERROR:  22023: invalid value for enum option "check_option": maybe
--| DETAIL:  Valid values are "local" and "cascaded".

-- Views that are not updatable.
create view n1 as select distinct id from b;
--| CREATE VIEW
create view n2 as select n, count(*) from b group by n;
--| CREATE VIEW
create view n3 as select id from b union all select 1;
--| CREATE VIEW
create view n4 as with q as (select 1) select id from b;
--| CREATE VIEW
create view n5 as select id from b limit 1;
--| CREATE VIEW
create view n6 as select max(id) from b;
--| CREATE VIEW
create view n7 as select id, row_number() over () from b;
--| CREATE VIEW
create view n8 as select id, generate_series(1, 2) from b;
--| CREATE VIEW
create view n9 as select b.id from b, b b2;
--| CREATE VIEW
create view n10 as select 1 as one;
--| CREATE VIEW
create view n11 as select id from n1;
--| CREATE VIEW
create view n12 as select upper(a) as u from b;
--| CREATE VIEW
create view n13 as select id from b having true;
--| ERROR:  42803: column "b.id" must appear in the GROUP BY clause or be used in an aggregate function
create view n14 as select id from (select * from b) s;
--| CREATE VIEW
create view n15 as values (1);
--| CREATE VIEW
create view n16 as select id, (select max(n) from b) as m from b;
--| CREATE VIEW
create view n17 as select id, tableoid as t from b;
--| CREATE VIEW
insert into n1 values (1);
--| ERROR:  55000: cannot insert into view "n1"
--| DETAIL:  Views containing DISTINCT are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
update n2 set n = 1;
--| ERROR:  55000: cannot update view "n2"
--| DETAIL:  Views containing GROUP BY are not automatically updatable.
--| HINT:  To enable updating the view, provide an INSTEAD OF UPDATE trigger or an unconditional ON UPDATE DO INSTEAD rule.
delete from n3;
--| ERROR:  55000: cannot delete from view "n3"
--| DETAIL:  Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.
--| HINT:  To enable deleting from the view, provide an INSTEAD OF DELETE trigger or an unconditional ON DELETE DO INSTEAD rule.
insert into n4 values (1);
--| ERROR:  55000: cannot insert into view "n4"
--| DETAIL:  Views containing WITH are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n5 values (1);
--| ERROR:  55000: cannot insert into view "n5"
--| DETAIL:  Views containing LIMIT or OFFSET are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n6 values (1);
--| ERROR:  55000: cannot insert into view "n6"
--| DETAIL:  Views that return aggregate functions are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n7 values (1);
--| ERROR:  55000: cannot insert into view "n7"
--| DETAIL:  Views that return window functions are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n8 values (1);
--| ERROR:  55000: cannot insert into view "n8"
--| DETAIL:  Views that return set-returning functions are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n9 values (1);
--| ERROR:  55000: cannot insert into view "n9"
--| DETAIL:  Views that do not select from a single table or view are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n10 values (1);
--| ERROR:  55000: cannot insert into view "n10"
--| DETAIL:  Views that do not select from a single table or view are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n11 values (1);
--| ERROR:  55000: cannot insert into view "n1"
--| DETAIL:  Views containing DISTINCT are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n12 values (1);
--| ERROR:  55000: cannot insert into view "n12"
--| DETAIL:  Views that have no updatable columns are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n12 values (1) returning u;
--| ERROR:  55000: cannot insert into view "n12"
--| DETAIL:  Views that have no updatable columns are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
delete from n12 where false;
--| DELETE 0
insert into n13 values (1);
--| ERROR:  42P01: relation "n13" does not exist
insert into n14 values (1);
--| ERROR:  55000: cannot insert into view "n14"
--| DETAIL:  Views that do not select from a single table or view are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n15 values (1);
--| ERROR:  55000: cannot insert into view "n15"
--| DETAIL:  Views that do not select from a single table or view are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
insert into n16 values (1000);
--| INSERT 0 1
insert into n16 values (1001, 1);
--| ERROR:  0A000: cannot insert into column "m" of view "n16"
--| DETAIL:  View columns that are not columns of their base relation are not updatable.
update n17 set t = 1;
--| ERROR:  0A000: cannot update column "t" of view "n17"
--| DETAIL:  View columns that refer to system columns are not updatable.
merge into n1 using (values (1)) s (i) on s.i = n1.id when matched then delete;
--| ERROR:  55000: cannot delete from view "n1"
--| DETAIL:  Views containing DISTINCT are not automatically updatable.
--| HINT:  To enable deleting from the view using MERGE, provide an INSTEAD OF DELETE trigger.
merge into n1 using (values (1)) s (i) on s.i = n1.id when matched then do nothing when not matched then insert values (1);
--| ERROR:  55000: cannot insert into view "n1"
--| DETAIL:  Views containing DISTINCT are not automatically updatable.
--| HINT:  To enable inserting into the view using MERGE, provide an INSTEAD OF INSERT trigger.
merge into n1 using (values (1)) s (i) on s.i = n1.id when matched then update set id = 1;
--| ERROR:  55000: cannot update view "n1"
--| DETAIL:  Views containing DISTINCT are not automatically updatable.
--| HINT:  To enable updating the view using MERGE, provide an INSTEAD OF UPDATE trigger.
create view bad with (check_option = local) as select distinct id from b;
--| ERROR:  0A000: WITH CHECK OPTION is supported only on automatically updatable views
--| HINT:  Views containing DISTINCT are not automatically updatable.
create view bad as select upper(a) from b with check option;
--| ERROR:  0A000: WITH CHECK OPTION is supported only on automatically updatable views
--| HINT:  Views that have no updatable columns are not automatically updatable.
alter view n6 set (check_option = local);
--| ERROR:  0A000: WITH CHECK OPTION is supported only on automatically updatable views
--| HINT:  Views that return aggregate functions are not automatically updatable.
select c.relname, pg_relation_is_updatable(c.oid, false), pg_relation_is_updatable(c.oid, true) from pg_class c join pg_namespace n on n.oid = c.relnamespace where nspname = 'public' and relkind in ('r', 'v', 'i') order by length(relname), 1;
--|  relname | pg_relation_is_updatable | pg_relation_is_updatable
--| ---------+--------------------------+--------------------------
--|  b       |                       28 |                       28
--|  v       |                       28 |                       28
--|  w       |                       28 |                       28
--|  x       |                       28 |                       28
--|  c0      |                       28 |                       28
--|  c1      |                       28 |                       28
--|  c2      |                       28 |                       28
--|  c3      |                       28 |                       28
--|  cc      |                       28 |                       28
--|  cl      |                       28 |                       28
--|  cs      |                       28 |                       28
--|  n1      |                        0 |                        0
--|  n2      |                        0 |                        0
--|  n3      |                        0 |                        0
--|  n4      |                        0 |                        0
--|  n5      |                        0 |                        0
--|  n6      |                        0 |                        0
--|  n7      |                        0 |                        0
--|  n8      |                        0 |                        0
--|  n9      |                        0 |                        0
--|  n10     |                        0 |                        0
--|  n11     |                        0 |                        0
--|  n12     |                       16 |                       16
--|  n14     |                        0 |                        0
--|  n15     |                        0 |                        0
--|  n16     |                       28 |                       28
--|  n17     |                       28 |                       28
--|  b_pkey  |                        0 |                        0
--| (28 rows)
select attname, pg_column_is_updatable('v'::regclass, attnum, false), pg_column_is_updatable('w'::regclass, attnum, false) from pg_attribute where attrelid = 'v'::regclass order by attnum;
--|  attname | pg_column_is_updatable | pg_column_is_updatable
--| ---------+------------------------+------------------------
--|  id      | t                      | t
--|  label   | t                      | t
--|  n       | t                      | f
--|  g       | t                      | f
--|  loud    | f                      | f
--| (5 rows)
select pg_column_is_updatable('b'::regclass, 1::int2, false), pg_column_is_updatable('b'::regclass, (-1)::int2, false), pg_relation_is_updatable(0, false);
--|  pg_column_is_updatable | pg_column_is_updatable | pg_relation_is_updatable
--| ------------------------+------------------------+--------------------------
--|  t                      | f                      |                        0
--| (1 row)
select column_name, is_updatable from information_schema.columns where table_name = 'v' order by ordinal_position;
--|  column_name | is_updatable
--| -------------+--------------
--|  id          | YES
--|  label       | YES
--|  n           | YES
--|  g           | YES
--|  loud        | NO
--| (5 rows)
select table_name, is_insertable_into from information_schema.tables where table_name in ('b', 'v', 'n1', 'n12') order by 1;
--|  table_name | is_insertable_into
--| ------------+--------------------
--|  b          | YES
--|  n1         | NO
--|  n12        | NO
--|  v          | YES
--| (4 rows)
copy v from stdin;
--| ERROR:  42809: cannot copy to view "v"
--| HINT:  To enable copying to a view, provide an INSTEAD OF INSERT trigger.

-- Privileges: the user's on the view, its owner's on the table.
create role vu;
--| CREATE ROLE
create role vo;
--| CREATE ROLE
create table pb (id int primary key, a text, hid text);
--| CREATE TABLE
create view pv as select id, a from pb;
--| CREATE VIEW
grant select, insert, update, delete on pv to vu;
--| GRANT
set role vu;
--| SET
insert into pv values (1, 'x') returning *;
--|  id | a
--| ----+---
--|   1 | x
--| (1 row)
--| INSERT 0 1
update pv set a = 'y' where id = 1;
--| UPDATE 1
delete from pv where a = 'y';
--| DELETE 1
insert into pb values (1);
--| ERROR:  42501: permission denied for table pb
reset role;
--| RESET
alter view pv owner to vo;
--| ALTER VIEW
set role vu;
--| SET
insert into pv values (1, 'x');
--| ERROR:  42501: permission denied for table pb
update pv set a = 'y';
--| ERROR:  42501: permission denied for table pb
delete from pv;
--| ERROR:  42501: permission denied for table pb
reset role;
--| RESET
grant insert on pb to vo;
--| GRANT
set role vu;
--| SET
insert into pv values (1, 'x');
--| INSERT 0 1
insert into pv values (1, 'x') returning id;
--| ERROR:  42501: permission denied for table pb
update pv set a = 'y';
--| ERROR:  42501: permission denied for table pb
reset role;
--| RESET
grant update (id) on pb to vo;
--| GRANT
set role vu;
--| SET
update pv set a = 'y';
--| ERROR:  42501: permission denied for table pb
update pv set id = 2;
--| UPDATE 1
reset role;
--| RESET
grant update (a), select (id, a), delete on pb to vo;
--| GRANT
set role vu;
--| SET
update pv set a = 'y' returning *;
--|  id | a
--| ----+---
--|   2 | y
--| (1 row)
--| UPDATE 1
delete from pv where a = 'y';
--| DELETE 1
reset role;
--| RESET
revoke insert on pv from vu;
--| REVOKE
grant insert (id) on pv to vu;
--| GRANT
set role vu;
--| SET
insert into pv (id) values (5);
--| INSERT 0 1
insert into pv (id, a) values (6, 'a');
--| ERROR:  42501: permission denied for view pv
reset role;
--| RESET
alter view pv set (security_invoker = true);
--| ALTER VIEW
set role vu;
--| SET
insert into pv (id) values (7);
--| ERROR:  42501: permission denied for table pb
reset role;
--| RESET
grant insert (id) on pb to vu;
--| GRANT
set role vu;
--| SET
insert into pv (id) values (7);
--| INSERT 0 1
update pv set a = 'z';
--| ERROR:  42501: permission denied for table pb
reset role;
--| RESET
table pb;
--|  id | a | hid
--| ----+---+-----
--|   5 |   |
--|   7 |   |
--| (2 rows)

-- Plans.
explain (costs off) update v set n = 1 where label = 'x';
--|                            QUERY PLAN
--| ----------------------------------------------------------------
--|  Update on b
--|    ->  Seq Scan on b
--|          Filter: (((n > 0) OR (n IS NULL)) AND (a = 'x'::text))
--| (3 rows)
explain (costs off) delete from w where i = 1;
--|                         QUERY PLAN
--| -----------------------------------------------------------
--|  Delete on b
--|    ->  Index Scan using b_pkey on b
--|          Index Cond: (id = 1)
--|          Filter: (((n > 0) OR (n IS NULL)) AND (id < 100))
--| (4 rows)
explain (costs off) insert into v (id) values (1);
--|   QUERY PLAN
--| --------------
--|  Insert on b
--|    ->  Result
--| (2 rows)
prepare p as update v set n = $2 where id = $1;
--| PREPARE
execute p (2, 3);
--| UPDATE 1
execute p (2, 4);
--| UPDATE 1
select n from b where id = 2;
--|  n
--| ---
--|  4
--| (1 row)
alter view v rename column label to name;
--| ALTER VIEW
execute p (2, 5);
--| UPDATE 1
update v set name = 'renamed' where id = 2 returning name;
--|   name
--| ---------
--|  renamed
--| (1 row)
--| UPDATE 1
alter table b rename column a to aa;
--| ALTER TABLE
insert into v (id, name) values (90, 'still') returning *;
--|  id | name  | n | g  | loud
--| ----+-------+---+----+-------
--|  90 | still | 9 | 18 | STILL
--| (1 row)
--| INSERT 0 1
alter table b drop column n;
--| ERROR:  2BP01: cannot drop column n of table b because other objects depend on it
--| DETAIL:  column g of table b depends on column n of table b
--| HINT:  Use DROP ... CASCADE to drop the dependent objects too.

-- In WITH, and several writes.
with i as (insert into v (id, name, n) values (91, 'cte', 1) returning id, loud) select * from i;
--|  id | loud
--| ----+------
--|  91 | CTE
--| (1 row)
with d as (delete from v where id = 91 returning *) insert into w (i, l) select id + 1, name from d returning *;
--|   l  | i  | loud
--| -----+----+------
--|  cte | 92 | CTE
--| (1 row)
--| INSERT 0 1
begin;
--| BEGIN
select * from v where id = 92 for update;
--|  id | name | n | g  | loud
--| ----+------+---+----+------
--|  92 | cte  | 9 | 18 | CTE
--| (1 row)
select * from w where i = 92 for share;
--|   l  | i  | loud
--| -----+----+------
--|  cte | 92 | CTE
--| (1 row)
rollback;
--| ROLLBACK
create temp table tt (a int);
--| CREATE TABLE
create view tv as select * from tt;
--| NOTICE:  view "tv" will be a temporary view
--| CREATE VIEW
insert into tv values (1) returning *;
--|  a
--| ---
--|  1
--| (1 row)
--| INSERT 0 1
create materialized view mv as select id from b;
--| SELECT 12
insert into mv values (1);
--| ERROR:  42809: cannot change materialized view "mv"
create view over_mv as select * from mv;
--| CREATE VIEW
insert into over_mv values (1);
--| ERROR:  55000: cannot insert into view "over_mv"
--| DETAIL:  Views that do not select from a single table or view are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
create view over_cat as select relname from pg_class;
--| CREATE VIEW
delete from over_cat;
--| ERROR:  42501: permission denied: "pg_class" is a system catalog
truncate v;
--| ERROR:  42809: "v" is not a table
create view vg as select id, x from (values (1)) q (id) join (select 2 as x) r on true;
--| CREATE VIEW
insert into vg values (1);
--| ERROR:  55000: cannot insert into view "vg"
--| DETAIL:  Views that do not select from a single table or view are not automatically updatable.
--| HINT:  To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule.
-- A view that has a column of its table twice gives it one value.
create table vwb (id int primary key, n int default 7);
--| CREATE TABLE
create view vwd as select id, id as id2, n from vwb;
--| CREATE VIEW
insert into vwd (id, id2, n) values (1, 2, 3);
--| ERROR:  42601: multiple assignments to same column "id"
insert into vwd values (1, 2, 3);
--| ERROR:  42601: multiple assignments to same column "id"
insert into vwd select 1, 2;
--| ERROR:  42601: multiple assignments to same column "id"
merge into vwd using (values (1, 2)) s(i, j) on false when not matched then insert (id, id2) values (i, j);
--| ERROR:  42601: multiple assignments to same column "id"
insert into vwd (id2, n) values (4, 5) returning *;
--|  id | id2 | n
--| ----+-----+---
--|   4 |   4 | 5
--| (1 row)
--| INSERT 0 1
insert into vwd (id, n) values (6, 7);
--| INSERT 0 1
insert into vwd values (8);
--| INSERT 0 1
table vwb;
--|  id | n
--| ----+---
--|   4 | 5
--|   6 | 7
--|   8 | 7
--| (3 rows)
