-- Functions that return the parts of a text as rows.

select * from string_to_table('a,b,,c', ',');
--|  string_to_table
--| -----------------
--|  a
--|  b
--|
--|  c
--| (4 rows)
select * from string_to_table('a,b,,c', ',', '') with ordinality;
--|  string_to_table | ordinality
--| -----------------+------------
--|  a               |          1
--|  b               |          2
--|                  |          3
--|  c               |          4
--| (4 rows)
select * from string_to_table('abc', null);
--|  string_to_table
--| -----------------
--|  a
--|  b
--|  c
--| (3 rows)
select * from string_to_table('', ',');
--|  string_to_table
--| -----------------
--| (0 rows)
select * from string_to_table(null, ',');
--|  string_to_table
--| -----------------
--| (0 rows)
select * from string_to_table('a,b', '') as t;
--|   t
--| -----
--|  a,b
--| (1 row)
select regexp_matches('foobarbequebaz', '(bar)(beque)');
--|  regexp_matches
--| ----------------
--|  {bar,beque}
--| (1 row)
select regexp_matches('foobarbequebaz', 'ba.', 'g');
--|  regexp_matches
--| ----------------
--|  {bar}
--|  {baz}
--| (2 rows)
select regexp_matches('abc', 'x');
--|  regexp_matches
--| ----------------
--| (0 rows)
select regexp_matches('abc', 'b*', 'g');
--|  regexp_matches
--| ----------------
--|  {""}
--|  {b}
--|  {""}
--|  {""}
--| (4 rows)
select regexp_matches(null, 'x');
--|  regexp_matches
--| ----------------
--| (0 rows)
select regexp_matches('aXbxc', '(x)', 'gi');
--|  regexp_matches
--| ----------------
--|  {X}
--|  {x}
--| (2 rows)
select m[1] as a, m[2] as b from regexp_matches('a1b2', '([a-z])(\d)', 'g') as m;
--|  a | b
--| ---+---
--|  a | 1
--|  b | 2
--| (2 rows)
select * from regexp_split_to_table('the quick  fox', '\s+');
--|  regexp_split_to_table
--| -----------------------
--|  the
--|  quick
--|  fox
--| (3 rows)
select * from regexp_split_to_table('abc', '') as c;
--|  c
--| ---
--|  a
--|  b
--|  c
--| (3 rows)
select * from regexp_split_to_table('aXbxc', 'x', 'i') as c;
--|  c
--| ---
--|  a
--|  b
--|  c
--| (3 rows)
select * from regexp_split_to_table('abc', 'b', 'g');
--| ERROR:  22023: regexp_split_to_table() does not support the "global" option
create table words (id int, line text);
--| CREATE TABLE
insert into words values (1, 'a b'), (2, 'c'), (3, null);
--| INSERT 0 3
select id, w from words, string_to_table(line, ' ') as w order by 1, 2;
--|  id | w
--| ----+---
--|   1 | a
--|   1 | b
--|   2 | c
--| (3 rows)
select id, regexp_split_to_table(line, ' ') as w from words order by 1, 2;
--|  id | w
--| ----+---
--|   1 | a
--|   1 | b
--|   2 | c
--| (3 rows)
select id, w from words left join lateral string_to_table(line, ' ') as w on true order by 1, 2;
--|  id | w
--| ----+---
--|   1 | a
--|   1 | b
--|   2 | c
--|   3 |
--| (4 rows)
select array_sort(array_agg(w)) from words, string_to_table(line, ' ') as w;
--|  array_sort
--| ------------
--|  {a,b,c}
--| (1 row)
select regexp_matches('abc', '(');
--| ERROR:  2201B: invalid regular expression: parentheses () not balanced
