-- The operand of CASE is computed once, whatever it is compared with.
create sequence s;
--| CREATE SEQUENCE
select case nextval('s') when 5 then 'five' when 2 then 'two' else 'other' end; 
--|  case
--| -------
--|  other
--| (1 row)
select last_value from s;
--|  last_value
--| ------------
--|           1
--| (1 row)
select count(*) from (select case (random() * 2)::int when 0 then 'a' when 1 then 'b' when 2 then 'c' end v from generate_series(1,1000)) q where v is null;
--|  count
--| -------
--|      0
--| (1 row)
select case nextval('s') when 2 then case nextval('s') when 3 then 'inner' else 'no' end when 3 then 'wrong' end;
--|  case
--| -------
--|  inner
--| (1 row)
select case nextval('s') when (case nextval('s') when 5 then 4 else 0 end) then 'both' else 'neither' end;
--|  case
--| ------
--|  both
--| (1 row)
select case nextval('s') when 1.5 then 'a' when 6 then 'b' when 6.0 then 'c' else 'd' end;
--|  case
--| ------
--|  b
--| (1 row)
select case nextval('s')::text when '7' then 'seven' when '8' then 'eight' end;
--|  case
--| -------
--|  seven
--| (1 row)
select case (select nextval('s')) when 7 then 'seven' when 8 then 'eight' end;
--|  case
--| -------
--|  eight
--| (1 row)
select case when nextval('s') = 9 then 'nine' end;
--|  case
--| ------
--|  nine
--| (1 row)
select case nextval('s') when null then 'null' when 1 / 0 then 'never' end;
--| ERROR:  22012: division by zero
select case nextval('s') % 2 when 1 then count(*) when 0 then -count(*) end from generate_series(1, 3);
--|  case
--| ------
--|    -3
--| (1 row)
select case sum(g) + count(*) * 2 - max(g) + min(g) when 9 then 'nine' when 10 then max(g)::text end from generate_series(1, 3) g;
--|  case
--| ------
--|  3
--| (1 row)
select g, case (select count(*) from generate_series(1, g)) when 1 then 'one' when 2 then 'two' else 'many' end from generate_series(1, 3) g;
--|  g | case
--| ---+------
--|  1 | one
--|  2 | two
--|  3 | many
--| (3 rows)
select case 'x'::text || g when 'x1' then 'one' when 'x2' then 'two' end from generate_series(1, 3) g;
--|  case
--| ------
--|  one
--|  two
--|
--| (3 rows)
create table t (i int, v text default case nextval('s') % 2 when 0 then 'even' when 1 then 'odd' end, check (case random() * i when -1 then false else true end));
--| CREATE TABLE
insert into t select g from generate_series(1, 4) g;
--| INSERT 0 4
select count(*), count(v) from t;
--|  count | count
--| -------+-------
--|      4 |     4
--| (1 row)
create view w as select case (random() * 2)::int + i * 2 - i - i when 0 then 'a' when 1 then 'b' else 'c' end as v from t;
--| CREATE VIEW
select pg_get_viewdef('w');
--|                                    pg_get_viewdef
--| ------------------------------------------------------------------------------------
--|   SELECT                                                                           +
--|          CASE (((((random() * (2)::double precision))::integer + (i * 2)) - i) - i)+
--|              WHEN 0 THEN 'a'::text                                                 +
--|              WHEN 1 THEN 'b'::text                                                 +
--|              ELSE 'c'::text                                                        +
--|          END AS v                                                                  +
--|     FROM t;
--| (1 row)
select count(*), count(v) from w;
--|  count | count
--| -------+-------
--|      4 |     4
--| (1 row)
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 't'::regclass;
--|                  pg_get_expr
--| ---------------------------------------------
--|                                             +
--|  CASE (nextval('s'::regclass) % (2)::bigint)+
--|      WHEN 0 THEN 'even'::text               +
--|      WHEN 1 THEN 'odd'::text                +
--|      ELSE NULL::text                        +
--|  END
--| (1 row)
prepare p as select case $1 + random() * 0 + 0 + 0 + 0 when 1 then 'one' when 2 then 'two' end;
--| PREPARE
execute p(2);
--|  case
--| ------
--|  two
--| (1 row)
