-- Relations and columns that a subquery of FROM, or a join, cannot name: what is told of them.

create table c(id int, email text); create table o(id int, email text, c_id int);
--| CREATE TABLE
--| CREATE TABLE
select * from c, (select c.email from o) s;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
--| HINT:  To reference that table, you must mark this subquery with LATERAL.
select * from c left join (select 1 from o where o.c_id = c.id) s on true;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
--| HINT:  To reference that table, you must mark this subquery with LATERAL.
select * from c, (select x.nope from o) s;
--| ERROR:  42P01: missing FROM-clause entry for table "x"
select * from c right join lateral (select c.id) s on true;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from c x, (select email from (values(1)) v(a)) s;
--| ERROR:  42703: column "email" does not exist
--| DETAIL:  There is a column named "email" in table "x", but it cannot be referenced from this part of the query.
--| HINT:  To reference that column, you must mark this subquery with LATERAL.
select * from c join (select id from o where c_id = email) s on true join o o2 on o2.id = email;
--| ERROR:  42883: operator does not exist: integer = text
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select id from (select 1 as a from o) s, (select emails from (values (1)) v(b)) s2;
--| ERROR:  42703: column "emails" does not exist
update o set email = s.e from (select email e from c where c.id = c_id) s;
--| ERROR:  42703: column "c_id" does not exist
--| DETAIL:  There is a column named "c_id" in table "o", but it cannot be referenced from this part of the query.
select * from c, o join o o2 on c.id = o2.id;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
select * from c, o join o o2 on id = 1;
--| ERROR:  42702: column reference "id" is ambiguous
select * from c join o on c.id = o3.id join o o3 on true;
--| ERROR:  42P01: missing FROM-clause entry for table "o3"
select * from c x, o join o o2 on x.email = o2.email;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "x"
--| DETAIL:  There is an entry for table "x", but it cannot be referenced from this part of the query.
select * from c cc, (select c.id from o) s;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "cc", but it cannot be referenced from this part of the query.
--| HINT:  To reference that table, you must mark this subquery with LATERAL.
update c set email = (select email from (select c.id) s);
--| UPDATE 0
update c set email = s.id::text from (select c.id) s;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
delete from c using (select c.id from o) s;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
select (select 1 from (select o.id) s) from o;
--|  ?column?
--| ----------
--| (0 rows)
select * from o, (select id from (select o.id as z) s) t;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "o"
--| DETAIL:  There is an entry for table "o", but it cannot be referenced from this part of the query.
--| HINT:  To reference that table, you must mark this subquery with LATERAL.
select * from c full join (select c.id) s on true;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
select * from c full join lateral (select c.id) s on true;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
insert into o select * from c, (select c.id) s;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
--| HINT:  To reference that table, you must mark this subquery with LATERAL.
select * from c x join o y on c.id = y.id;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| HINT:  Perhaps you meant to reference the table alias "x".
select * from c x where c.id = 1;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| HINT:  Perhaps you meant to reference the table alias "x".
select c from c x; select c.* from c x; select c.* from o, (select c.* from o) s, c; select (select c from o limit 1) from c; select * from c, (select c from o) s;
--| ERROR:  42703: column "c" does not exist
select x.id from c x, o x;
--| ERROR:  42712: table name "x" specified more than once
select o.id from c join (o join o o2 on o.id = c.id) on true;
--| ERROR:  42P01: invalid reference to FROM-clause entry for table "c"
--| DETAIL:  There is an entry for table "c", but it cannot be referenced from this part of the query.
select * from c, lateral (select c2.id from o) s;
--| ERROR:  42P01: missing FROM-clause entry for table "c2"
