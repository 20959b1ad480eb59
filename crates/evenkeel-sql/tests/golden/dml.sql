-- INSERT, UPDATE, DELETE: defaults, RETURNING, ON CONFLICT, FROM and USING.

create table t (id int primary key, v text default 'dflt', n int default 1 + 1, at timestamp default '2020-01-01');
--| CREATE TABLE
insert into t (id) values (1);
--| INSERT 0 1
insert into t values (2, 'two');
--| INSERT 0 1
insert into t values (3, default, default), (4, null, 40) returning id, v, n;
--|  id |  v   | n
--| ----+------+----
--|   3 | dflt |  2
--|   4 |      | 40
--| (2 rows)
--| INSERT 0 2
insert into t default values;
--| ERROR:  23502: null value in column "id" of relation "t" violates not-null constraint
--| DETAIL:  Failing row contains (null, dflt, 2, 2020-01-01 00:00:00).
insert into t (id, n) select g, g * 10 from generate_series(5, 7) g returning *;
--|  id |  v   | n  |         at
--| ----+------+----+---------------------
--|   5 | dflt | 50 | 2020-01-01 00:00:00
--|   6 | dflt | 60 | 2020-01-01 00:00:00
--|   7 | dflt | 70 | 2020-01-01 00:00:00
--| (3 rows)
--| INSERT 0 3
select * from t order by id;
--|  id |  v   | n  |         at
--| ----+------+----+---------------------
--|   1 | dflt |  2 | 2020-01-01 00:00:00
--|   2 | two  |  2 | 2020-01-01 00:00:00
--|   3 | dflt |  2 | 2020-01-01 00:00:00
--|   4 |      | 40 | 2020-01-01 00:00:00
--|   5 | dflt | 50 | 2020-01-01 00:00:00
--|   6 | dflt | 60 | 2020-01-01 00:00:00
--|   7 | dflt | 70 | 2020-01-01 00:00:00
--| (7 rows)
insert into t values (1, 'again');
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (id)=(1) already exists.
insert into t (id, id) values (1, 2);
--| ERROR:  42701: column "id" specified more than once
insert into t (id, nope) values (1, 2);
--| ERROR:  42703: column "nope" of relation "t" does not exist
insert into t (id) values (1, 2);
--| ERROR:  42601: INSERT has more expressions than target columns
insert into t (id, v) values (1);
--| ERROR:  42601: INSERT has more target columns than expressions
insert into t values (20, 'a', 1, '2020-02-30');
--| ERROR:  22008: date/time field value out of range: "2020-02-30"
insert into t values ('x');
--| ERROR:  22P02: invalid input syntax for type integer: "x"
insert into t (id, n) values (30, 'abc'::text);
--| ERROR:  42804: column "n" is of type integer but expression is of type text
--| HINT:  You will need to rewrite or cast the expression.
insert into t (id, n) values (31, 3.7) returning n;
--|  n
--| ---
--|  4
--| (1 row)
--| INSERT 0 1
insert into t (id, n) values (32, 3000000000);
--| ERROR:  22003: integer out of range

update t set v = 'upd' where id = 1;
--| UPDATE 1
update t set v = 'both', n = n + 1 where id in (1, 2) returning id, v, n;
--|  id |  v   | n
--| ----+------+---
--|   1 | both | 3
--|   2 | both | 3
--| (2 rows)
--| UPDATE 2
update t set (v, n) = ('row', 99) where id = 3 returning *;
--|  id |  v  | n  |         at
--| ----+-----+----+---------------------
--|   3 | row | 99 | 2020-01-01 00:00:00
--| (1 row)
--| UPDATE 1
update t set n = default, v = default where id = 3 returning *;
--|  id |  v   | n |         at
--| ----+------+---+---------------------
--|   3 | dflt | 2 | 2020-01-01 00:00:00
--| (1 row)
--| UPDATE 1
update t set id = id + 100 where id > 30 returning id;
--|  id
--| -----
--|  131
--| (1 row)
--| UPDATE 1
update t set id = 1 where id = 2;
--| ERROR:  23505: duplicate key value violates unique constraint "t_pkey"
--| DETAIL:  Key (id)=(1) already exists.
update t set nope = 1;
--| ERROR:  42703: column "nope" of relation "t" does not exist
update t set n = 'x';
--| ERROR:  22P02: invalid input syntax for type integer: "x"
update t set n = 1, n = 2;
--| ERROR:  42601: multiple assignments to same column "n"
update t set v = 'none' where id = 12345;
--| UPDATE 0
update t x set n = x.n + 1 where x.id = 1 returning x.n;
--|  n
--| ---
--|  4
--| (1 row)
--| UPDATE 1
update t set n = s.total from (select sum(n) as total from t) s where t.id = 1 returning t.id, t.n, s.total;
--|  id |  n  | total
--| ----+-----+-------
--|   1 | 233 |   233
--| (1 row)
--| UPDATE 1
update t set id = id;
--| UPDATE 8
select id, n from t order by id;
--|  id  |  n
--| -----+-----
--|    1 | 233
--|    2 |   3
--|    3 |   2
--|    4 |  40
--|    5 |  50
--|    6 |  60
--|    7 |  70
--|  131 |   4
--| (8 rows)

delete from t where id = 7 returning *;
--|  id |  v   | n  |         at
--| ----+------+----+---------------------
--|   7 | dflt | 70 | 2020-01-01 00:00:00
--| (1 row)
--| DELETE 1
delete from t where v is null;
--| DELETE 1
delete from t using (values (5), (6)) as d(k) where t.id = d.k returning t.id;
--|  id
--| ----
--|   5
--|   6
--| (2 rows)
--| DELETE 2
delete from t where id > 1000;
--| DELETE 0
select id from t order by id;
--|  id
--| -----
--|    1
--|    2
--|    3
--|  131
--| (4 rows)
delete from t;
--| DELETE 4
select count(*) from t;
--|  count
--| -------
--|      0
--| (1 row)

-- a statement does not see its own changes
insert into t (id) select g from generate_series(1, 5) g;
--| INSERT 0 5
insert into t (id) select id + 10 from t;
--| INSERT 0 5
update t set id = id + 1000 where id in (select id from t where id > 10);
--| UPDATE 5
select count(*), min(id), max(id) from t;
--|  count | min | max
--| -------+-----+------
--|     10 |   1 | 1015
--| (1 row)

-- ON CONFLICT
create table k (a int, b int, v text, n int default 0, primary key (a, b), unique (v));
--| CREATE TABLE
insert into k values (1, 1, 'x', 1), (1, 2, 'y', 1);
--| INSERT 0 2
insert into k values (1, 1, 'z') on conflict do nothing;
--| INSERT 0 0
insert into k values (1, 1, 'z') on conflict (a, b) do nothing returning *;
--|  a | b | v | n
--| ---+---+---+---
--| (0 rows)
--| INSERT 0 0
insert into k values (3, 3, 'x') on conflict (a, b) do nothing;
--| ERROR:  23505: duplicate key value violates unique constraint "k_v_key"
--| DETAIL:  Key (v)=(x) already exists.
insert into k values (3, 3, 'x') on conflict do nothing;
--| INSERT 0 0
insert into k values (1, 1, 'new', 5) on conflict (a, b) do update set v = excluded.v, n = k.n + excluded.n returning *;
--|  a | b |  v  | n
--| ---+---+-----+---
--|  1 | 1 | new | 6
--| (1 row)
--| INSERT 0 1
insert into k values (1, 2, 'q'), (9, 9, 'nine') on conflict (b, a) do update set n = k.n + 1 returning a, b, v, n;
--|  a | b |  v   | n
--| ---+---+------+---
--|  1 | 2 | y    | 2
--|  9 | 9 | nine | 0
--| (2 rows)
--| INSERT 0 2
insert into k values (1, 2, 'q') on conflict (a, b) do update set n = 7 where k.n > 100;
--| INSERT 0 0
insert into k as me values (1, 2, 'q') on conflict on constraint k_pkey do update set n = me.n + 10 returning n;
--|  n
--| ----
--|  12
--| (1 row)
--| INSERT 0 1
insert into k values (5, 5, 'a'), (5, 5, 'b') on conflict (a, b) do update set n = 1;
--| ERROR:  21000: ON CONFLICT DO UPDATE command cannot affect row a second time
--| HINT:  Ensure that no rows proposed for insertion within the same command have duplicate constrained values.
insert into k values (5, 5, 'a'), (5, 5, 'b') on conflict do nothing;
--| INSERT 0 1
insert into k values (1, 1, 'a') on conflict (v) do nothing;
--| INSERT 0 0
insert into k values (1, 1, 'a') on conflict (n) do nothing;
--| ERROR:  42P10: there is no unique or exclusion constraint matching the ON CONFLICT specification
insert into k values (1, 1, 'a') on conflict do update set n = 1;
--| ERROR:  42601: ON CONFLICT DO UPDATE requires inference specification or constraint name
--| HINT:  For example, ON CONFLICT (column_name).
insert into k values (1, 1, 'a') on conflict on constraint nope do nothing;
--| ERROR:  42704: constraint "nope" for table "k" does not exist
select * from k order by a, b;
--|  a | b |  v   | n
--| ---+---+------+----
--|  1 | 1 | new  |  6
--|  1 | 2 | y    | 12
--|  5 | 5 | a    |  0
--|  9 | 9 | nine |  0
--| (4 rows)

-- several unique indexes: nothing of a refused row stays
create table u (a int unique, b int unique);
--| CREATE TABLE
insert into u values (1, 1);
--| INSERT 0 1
insert into u values (2, 1) on conflict do nothing;
--| INSERT 0 0
insert into u values (2, 2);
--| INSERT 0 1
select * from u order by a;
--|  a | b
--| ---+---
--|  1 | 1
--|  2 | 2
--| (2 rows)
