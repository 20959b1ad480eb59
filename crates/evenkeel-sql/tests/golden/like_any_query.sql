-- Operators that compare nothing beside the rows of a subquery.
create table p (pat text);
--| CREATE TABLE
select 'abc' like any (select pat from p), 'abc' like all (select pat from p);
--|  ?column? | ?column?
--| ----------+----------
--|  f        | t
--| (1 row)
insert into p values ('a%'), (null);
--| INSERT 0 2
select 'abc' like any (select pat from p), 'xbc' like any (select pat from p), 'abc' not like all (select pat from p), 'xbc' ilike all (select pat from p);
--|  ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------
--|  t        |          | f        | f
--| (1 row)
select 'abc' ~ any (select 'b' union select 'x'), 'abc' !~~* all (values ('x%'), ('y%'));
--|  ?column? | ?column?
--| ----------+----------
--|  t        | t
--| (1 row)
select v from (values ('abc'), ('xyz')) t(v) where v like any (select pat from p where pat is not null or v is null);
--|   v
--| -----
--|  abc
--| (1 row)
select v from (values ('abc'), ('xyz')) t(v) where not exists (select 1) or v like any (select left(v, 1) || '%');
--|   v
--| -----
--|  abc
--|  xyz
--| (2 rows)
select 1 like any (select 1);
--| ERROR:  42883: operator does not exist: integer ~~ integer
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select 'a' like any (select 'a', 'b');
--| ERROR:  42601: subquery has too many columns
