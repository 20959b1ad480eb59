-- LATERAL on the right of outer joins: what may be missing cannot be read.

create table la (a int); insert into la values (1), (2); create table lb (b int); insert into lb values (2), (3);
--| CREATE TABLE
--| INSERT 0 2
--| CREATE TABLE
--| INSERT 0 2
select * from la right join lateral generate_series(0, la.a) g on true;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "la"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from la full join lateral generate_series(0, a) g on true;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "la"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from la full join lateral (select la.a + 1 as x) s on true;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "la"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from la right join lateral (select b from lb where b = a) s on true;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "la"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from la left join lateral (select b from lb where b = a) s on true order by 1;
--|  a | b
--| ---+---
--|  1 |
--|  2 | 2
--| (2 rows)
select * from la right join lb on a = b, lateral (select a + b as x) s order by 2;
--|  a | b | x
--| ---+---+---
--|  2 | 2 | 4
--|    | 3 |
--| (2 rows)
select * from la join lb on true right join lateral (select la.a) s on true;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "la"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from la cross join (lb right join lateral (select la.a as x) s on b = x) order by 1, 2;
--|  a | b | x
--| ---+---+---
--|  1 |   | 1
--|  2 | 2 | 2
--| (2 rows)
select * from la cross join (lb right join lateral (select lb.b as x) s on b = x) order by 1, 2;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "lb"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from la right join (lb cross join lateral (select lb.b as x) s) on a = b order by 2;
--|  a | b | x
--| ---+---+---
--|  2 | 2 | 2
--|    | 3 | 3
--| (2 rows)
select * from la right join (lb cross join lateral (select la.a as x) s) on a = b;
--| ERROR:  42P10: invalid reference to FROM-clause entry for table "la"
--| DETAIL:  The combining JOIN type must be INNER or LEFT for a LATERAL reference.
select * from la full join lb on a = b cross join lateral (select coalesce(a, b) as c) s order by 3;
--|  a | b | c
--| ---+---+---
--|  1 |   | 1
--|  2 | 2 | 2
--|    | 3 | 3
--| (3 rows)
select * from la where exists (select 1 from lb right join lateral (select la.a as x) s on b = x) order by 1;
--|  a
--| ---
--|  1
--|  2
--| (2 rows)
