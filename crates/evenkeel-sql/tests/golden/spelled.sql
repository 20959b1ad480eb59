-- Calls in the grammar's own spelling are kept, and shown, as they were written.
create table t(v text, d timestamp, z timestamptz, i int, b bytea, k bit(8), dt date, a int[], j jsonb);
--| CREATE TABLE
create index on t (substr(v,1,255));
--| CREATE INDEX
create index on t (substring(v,1,255));
--| CREATE INDEX
create index on t (substring(v from 2 for 3));
--| CREATE INDEX
create index on t (substring(v from 2));
--| CREATE INDEX
create index on t (substring(v from 'a+'));
--| CREATE INDEX
create index on t (substring(v similar 'a' escape '#'));
--| CREATE INDEX
create index on t (position('a' in v));
--| CREATE INDEX
create index on t (strpos(v, 'a'));
--| CREATE INDEX
create index on t (trim(v));
--| CREATE INDEX
create index on t (trim(leading from v));
--| CREATE INDEX
create index on t (trim(trailing 'x' from v));
--| CREATE INDEX
create index on t (trim(both 'x' from v));
--| CREATE INDEX
create index on t (btrim(v));
--| CREATE INDEX
create index on t (btrim(v, 'x'));
--| CREATE INDEX
create index on t (ltrim(v));
--| CREATE INDEX
create index on t (overlay(v placing 'x' from 2 for 1));
--| CREATE INDEX
create index on t ((d at time zone 'UTC'));
--| CREATE INDEX
create index on t ((z at time zone 'UTC'));
--| CREATE INDEX
create index on t (timezone('UTC', z));
--| CREATE INDEX
create index on t (left(v, 3));
--| CREATE INDEX
create index on t (right(v, 3));
--| CREATE INDEX
create index on t (extract(year from d));
--| CREATE INDEX
create index on t (date_part('year', d));
--| CREATE INDEX
create index on t (normalize(v, nfc));
--| CREATE INDEX
create index on t ((v is nfc normalized));
--| CREATE INDEX
create index on t (coalesce(v, 'x'));
--| CREATE INDEX
create index on t (greatest(i, 2));
--| CREATE INDEX
create index on t (nullif(i, 2));
--| CREATE INDEX
create index on t ((i::text));
--| CREATE INDEX
create index on t (cast(i as bigint));
--| CREATE INDEX
create index on t ((v like 'a%'));
--| CREATE INDEX
create index on t ((v || 'x'));
--| CREATE INDEX
create index on t ((i in (1,2)));
--| CREATE INDEX
create index on t ((a[1]));
--| CREATE INDEX
create index on t ((j->>'a'));
--| CREATE INDEX
create index on t ((j #>> '{a,b}'));
--| CREATE INDEX
create index on t ((v is not null));
--| CREATE INDEX
create index on t ((i between 1 and 3));
--| CREATE INDEX
create index on t ((-i));
--| CREATE INDEX
create index on t ((dt - 3));
--| CREATE INDEX
create index on t (upper(v) text_pattern_ops);
--| CREATE INDEX
create index on t (floor(i::numeric));
--| CREATE INDEX
create index on t (ceiling(i::float8));
--| CREATE INDEX
create index on t (mod(i,2));
--| CREATE INDEX
create index on t (char_length(v));
--| CREATE INDEX
create index on t (character_length(v));
--| CREATE INDEX
create index on t (pow(i,2));
--| CREATE INDEX
create index on t (concat(v, 'x'));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on t (md5(v), lower(v));
--| CREATE INDEX
create index on t (i) where v ~ 'a' and position('x' in v) = 2 and i is distinct from 4;
--| CREATE INDEX
create index on t (date_trunc('day', d));
--| CREATE INDEX
create index on t ((d::date));
--| CREATE INDEX
create index on t ((array[i, 2]));
--| CREATE INDEX
create index on t ((v collate "C"));
--| CREATE INDEX
create index on t (reverse(v), (i % 2) desc nulls last);
--| CREATE INDEX
create index on t (bit_length(v));
--| CREATE INDEX
create index on t (replace(v, 'a', 'b'));
--| CREATE INDEX
create index on t (split_part(v, ',', 1));
--| CREATE INDEX
create index on t (to_number(v, '99'));
--| ERROR:  42P17: functions in index expression must be marked IMMUTABLE
create index on t ((i # 3));
--| CREATE INDEX
create index on t ((v > 'a' is true));
--| CREATE INDEX
create index on t ((i = any ('{1,2}')));
--| CREATE INDEX
create index on t ((i = any (a)));
--| CREATE INDEX
create index on t (array_length(a, 1)) where a @> '{1}';
--| CREATE INDEX
create index on t (jsonb_path_exists(j, '$.a'));
--| CREATE INDEX
select pg_get_indexdef(indexrelid), pg_get_indexdef(indexrelid, 1, true), pg_get_expr(indpred, indrelid) from pg_index where indrelid = 't'::regclass order by indexrelid;
--|                                                                pg_get_indexdef                                                               |                 pg_get_indexdef                 |                                     pg_get_expr
--| ---------------------------------------------------------------------------------------------------------------------------------------------+-------------------------------------------------+-------------------------------------------------------------------------------------
--|  CREATE INDEX t_substr_idx ON public.t USING btree (substr(v, 1, 255))                                                                       | substr(v, 1, 255)                               |
--|  CREATE INDEX t_substring_idx ON public.t USING btree ("substring"(v, 1, 255))                                                               | "substring"(v, 1, 255)                          |
--|  CREATE INDEX t_substring_idx1 ON public.t USING btree (SUBSTRING(v FROM 2 FOR 3))                                                           | SUBSTRING(v FROM 2 FOR 3)                       |
--|  CREATE INDEX t_substring_idx2 ON public.t USING btree (SUBSTRING(v FROM 2))                                                                 | SUBSTRING(v FROM 2)                             |
--|  CREATE INDEX t_substring_idx3 ON public.t USING btree ("substring"(v, 'a+'::text))                                                          | "substring"(v, 'a+'::text)                      |
--|  CREATE INDEX t_substring_idx4 ON public.t USING btree (SUBSTRING(v SIMILAR 'a'::text ESCAPE '#'::text))                                     | SUBSTRING(v SIMILAR 'a'::text ESCAPE '#'::text) |
--|  CREATE INDEX t_position_idx ON public.t USING btree (POSITION(('a'::text) IN (v)))                                                          | POSITION(('a'::text) IN (v))                    |
--|  CREATE INDEX t_strpos_idx ON public.t USING btree (strpos(v, 'a'::text))                                                                    | strpos(v, 'a'::text)                            |
--|  CREATE INDEX t_btrim_idx ON public.t USING btree (TRIM(BOTH FROM v))                                                                        | TRIM(BOTH FROM v)                               |
--|  CREATE INDEX t_ltrim_idx ON public.t USING btree (TRIM(LEADING FROM v))                                                                     | TRIM(LEADING FROM v)                            |
--|  CREATE INDEX t_rtrim_idx ON public.t USING btree (TRIM(TRAILING 'x'::text FROM v))                                                          | TRIM(TRAILING 'x'::text FROM v)                 |
--|  CREATE INDEX t_btrim_idx1 ON public.t USING btree (TRIM(BOTH 'x'::text FROM v))                                                             | TRIM(BOTH 'x'::text FROM v)                     |
--|  CREATE INDEX t_btrim_idx2 ON public.t USING btree (btrim(v))                                                                                | btrim(v)                                        |
--|  CREATE INDEX t_btrim_idx3 ON public.t USING btree (btrim(v, 'x'::text))                                                                     | btrim(v, 'x'::text)                             |
--|  CREATE INDEX t_ltrim_idx1 ON public.t USING btree (ltrim(v))                                                                                | ltrim(v)                                        |
--|  CREATE INDEX t_overlay_idx ON public.t USING btree (OVERLAY(v PLACING 'x'::text FROM 2 FOR 1))                                              | OVERLAY(v PLACING 'x'::text FROM 2 FOR 1)       |
--|  CREATE INDEX t_timezone_idx ON public.t USING btree ((d AT TIME ZONE 'UTC'::text))                                                          | (d AT TIME ZONE 'UTC'::text)                    |
--|  CREATE INDEX t_timezone_idx1 ON public.t USING btree ((z AT TIME ZONE 'UTC'::text))                                                         | (z AT TIME ZONE 'UTC'::text)                    |
--|  CREATE INDEX t_timezone_idx2 ON public.t USING btree (timezone('UTC'::text, z))                                                             | timezone('UTC'::text, z)                        |
--|  CREATE INDEX t_left_idx ON public.t USING btree ("left"(v, 3))                                                                              | "left"(v, 3)                                    |
--|  CREATE INDEX t_right_idx ON public.t USING btree ("right"(v, 3))                                                                            | "right"(v, 3)                                   |
--|  CREATE INDEX t_extract_idx ON public.t USING btree (EXTRACT(year FROM d))                                                                   | EXTRACT(year FROM d)                            |
--|  CREATE INDEX t_date_part_idx ON public.t USING btree (date_part('year'::text, d))                                                           | date_part('year'::text, d)                      |
--|  CREATE INDEX t_normalize_idx ON public.t USING btree (NORMALIZE(v, NFC))                                                                    | NORMALIZE(v, NFC)                               |
--|  CREATE INDEX t_is_normalized_idx ON public.t USING btree ((v IS NFC NORMALIZED))                                                            | (v IS NFC NORMALIZED)                           |
--|  CREATE INDEX t_coalesce_idx ON public.t USING btree (COALESCE(v, 'x'::text))                                                                | COALESCE(v, 'x'::text)                          |
--|  CREATE INDEX t_greatest_idx ON public.t USING btree (GREATEST(i, 2))                                                                        | GREATEST(i, 2)                                  |
--|  CREATE INDEX t_nullif_idx ON public.t USING btree (NULLIF(i, 2))                                                                            | NULLIF(i, 2)                                    |
--|  CREATE INDEX t_i_idx ON public.t USING btree (((i)::text))                                                                                  | (i::text)                                       |
--|  CREATE INDEX t_i_idx1 ON public.t USING btree (((i)::bigint))                                                                               | (i::bigint)                                     |
--|  CREATE INDEX t_expr_idx ON public.t USING btree (((v ~~ 'a%'::text)))                                                                       | (v ~~ 'a%'::text)                               |
--|  CREATE INDEX t_expr_idx1 ON public.t USING btree (((v || 'x'::text)))                                                                       | (v || 'x'::text)                                |
--|  CREATE INDEX t_expr_idx2 ON public.t USING btree (((i = ANY (ARRAY[1, 2]))))                                                                | (i = ANY (ARRAY[1, 2]))                         |
--|  CREATE INDEX t_a_idx ON public.t USING btree ((a[1]))                                                                                       | (a[1])                                          |
--|  CREATE INDEX t_expr_idx3 ON public.t USING btree (((j ->> 'a'::text)))                                                                      | (j ->> 'a'::text)                               |
--|  CREATE INDEX t_expr_idx4 ON public.t USING btree (((j #>> '{a,b}'::text[])))                                                                | (j #>> '{a,b}'::text[])                         |
--|  CREATE INDEX t_expr_idx5 ON public.t USING btree (((v IS NOT NULL)))                                                                        | (v IS NOT NULL)                                 |
--|  CREATE INDEX t_expr_idx6 ON public.t USING btree ((((i >= 1) AND (i <= 3))))                                                                | (i >= 1 AND i <= 3)                             |
--|  CREATE INDEX t_expr_idx7 ON public.t USING btree (((- i)))                                                                                  | (- i)                                           |
--|  CREATE INDEX t_expr_idx8 ON public.t USING btree (((dt - 3)))                                                                               | (dt - 3)                                        |
--|  CREATE INDEX t_upper_idx ON public.t USING btree (upper(v) text_pattern_ops)                                                                | upper(v)                                        |
--|  CREATE INDEX t_floor_idx ON public.t USING btree (floor((i)::numeric))                                                                      | floor(i::numeric)                               |
--|  CREATE INDEX t_ceiling_idx ON public.t USING btree (ceiling((i)::double precision))                                                         | ceiling(i::double precision)                    |
--|  CREATE INDEX t_mod_idx ON public.t USING btree (mod(i, 2))                                                                                  | mod(i, 2)                                       |
--|  CREATE INDEX t_char_length_idx ON public.t USING btree (char_length(v))                                                                     | char_length(v)                                  |
--|  CREATE INDEX t_character_length_idx ON public.t USING btree (character_length(v))                                                           | character_length(v)                             |
--|  CREATE INDEX t_pow_idx ON public.t USING btree (pow((i)::double precision, (2)::double precision))                                          | pow(i::double precision, 2::double precision)   |
--|  CREATE INDEX t_md5_lower_idx ON public.t USING btree (md5(v), lower(v))                                                                     | md5(v)                                          |
--|  CREATE INDEX t_i_idx2 ON public.t USING btree (i) WHERE ((v ~ 'a'::text) AND (POSITION(('x'::text) IN (v)) = 2) AND (i IS DISTINCT FROM 4)) | i                                               | ((v ~ 'a'::text) AND (POSITION(('x'::text) IN (v)) = 2) AND (i IS DISTINCT FROM 4))
--|  CREATE INDEX t_date_trunc_idx ON public.t USING btree (date_trunc('day'::text, d))                                                          | date_trunc('day'::text, d)                      |
--|  CREATE INDEX t_d_idx ON public.t USING btree (((d)::date))                                                                                  | (d::date)                                       |
--|  CREATE INDEX t_array_idx ON public.t USING btree ((ARRAY[i, 2]))                                                                            | (ARRAY[i, 2])                                   |
--|  CREATE INDEX t_v_idx ON public.t USING btree (v COLLATE "C")                                                                                | v                                               |
--|  CREATE INDEX t_reverse_expr_idx ON public.t USING btree (reverse(v), ((i % 2)) DESC NULLS LAST)                                             | reverse(v)                                      |
--|  CREATE INDEX t_bit_length_idx ON public.t USING btree (bit_length(v))                                                                       | bit_length(v)                                   |
--|  CREATE INDEX t_replace_idx ON public.t USING btree (replace(v, 'a'::text, 'b'::text))                                                       | replace(v, 'a'::text, 'b'::text)                |
--|  CREATE INDEX t_split_part_idx ON public.t USING btree (split_part(v, ','::text, 1))                                                         | split_part(v, ','::text, 1)                     |
--|  CREATE INDEX t_expr_idx9 ON public.t USING btree (((i # 3)))                                                                                | (i # 3)                                         |
--|  CREATE INDEX t_expr_idx10 ON public.t USING btree ((((v > 'a'::text) IS TRUE)))                                                             | ((v > 'a'::text) IS TRUE)                       |
--|  CREATE INDEX t_expr_idx11 ON public.t USING btree (((i = ANY ('{1,2}'::integer[]))))                                                        | (i = ANY ('{1,2}'::integer[]))                  |
--|  CREATE INDEX t_expr_idx12 ON public.t USING btree (((i = ANY (a))))                                                                         | (i = ANY (a))                                   |
--|  CREATE INDEX t_array_length_idx ON public.t USING btree (array_length(a, 1)) WHERE (a @> '{1}'::integer[])                                  | array_length(a, 1)                              | (a @> '{1}'::integer[])
--|  CREATE INDEX t_jsonb_path_exists_idx ON public.t USING btree (jsonb_path_exists(j, '$."a"'::jsonpath))                                      | jsonb_path_exists(j, '$."a"'::jsonpath)         |
--| (63 rows)
alter table t add check (position('a' in v) > 0), add check (substr(v, 1) > ''), add check (substring(v from 1) > ''), add check (trim(v) > ''), add check ((d at time zone 'UTC') > now()), add check (overlay(v placing 'x' from 1) > ''), add check (extract(year from d) > 3), add check (v is normalized), add check (left(v, 1) = 'a');
--| ALTER TABLE
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 't'::regclass order by conname;
--|                    pg_get_constraintdef
--| ----------------------------------------------------------
--|  CHECK (((d AT TIME ZONE 'UTC'::text) > now()))
--|  CHECK ((EXTRACT(year FROM d) > (3)::numeric))
--|  CHECK ((POSITION(('a'::text) IN (v)) > 0))
--|  CHECK ((substr(v, 1) > ''::text))
--|  CHECK ((SUBSTRING(v FROM 1) > ''::text))
--|  CHECK ((TRIM(BOTH FROM v) > ''::text))
--|  CHECK ((OVERLAY(v PLACING 'x'::text FROM 1) > ''::text))
--|  CHECK ((v IS NORMALIZED))
--|  CHECK (("left"(v, 1) = 'a'::text))
--| (9 rows)
create view w as select substr(v,1,255) as a0, substring(v,1,255) as a1, substring(v from 2 for 3) as a2, substring(v from 'a+') as a3, substring(v similar 'a' escape '#') as a4, position('a' in v), strpos(v, 'a'), trim(v) as t1, trim(leading from v) as t2, trim(trailing 'x' from v) as t3, btrim(v) as t4, overlay(v placing 'x' from 2 for 1) , d at time zone 'UTC' as z1, timezone('UTC', z) as z2, extract(year from d), normalize(v, nfc) n1, normalize(v) n2, v is nfc normalized as n3, (d, d) overlaps (d, d) as o, user, current_role, current_user as cu, session_user, current_catalog, current_date, localtime(2), collation for (v), left(v, 1), right(v, 2), ceil(i::numeric), ceiling(i::numeric) c2, z at local as lo, substring(b from 2), position(b in b) pb, overlay(k placing k from 1), system_user su, substring(v for 3) as sf from t;
--| ERROR:  42701: column "overlay" specified more than once
select pg_get_viewdef('w');
--| ERROR:  42P01: relation "w" does not exist
select pg_get_viewdef('w', true);
--| ERROR:  42P01: relation "w" does not exist
-- they are one function
set enable_seqscan = off;
--| SET
explain (costs off) select * from t where substring(v, 2, 3) = 'x';
--|                       QUERY PLAN
--| -------------------------------------------------------
--|  Index Scan using t_substring_idx1 on t
--|    Index Cond: (SUBSTRING(v FROM 2 FOR 3) = 'x'::text)
--| (2 rows)
explain (costs off) select * from t where position('a' in v) = 2;
--|                     QUERY PLAN
--| --------------------------------------------------
--|  Index Scan using t_position_idx on t
--|    Index Cond: (POSITION(('a'::text) IN (v)) = 2)
--| (2 rows)
explain (costs off) select i from t where trim(both from v) = 'a';
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Index Scan using t_btrim_idx on t
--|    Index Cond: (TRIM(BOTH FROM v) = 'a'::text)
--| (2 rows)
explain (costs off) select i from t where timezone('UTC', d) > '2020-01-01 00:00+00';
--|                                         QUERY PLAN
--| -------------------------------------------------------------------------------------------
--|  Seq Scan on t
--|    Filter: (timezone('UTC'::text, d) > '2020-01-01 00:00:00+00'::timestamp with time zone)
--| (2 rows)
select trim(from ' a '), trim(both from 'xax', 'x'), trim(leading 'x' from 'xax'), trim(trailing from 'a '), substring('abc' similar '#"b#"_' escape '#'), substring(trim('abc') from 2 for greatest(1, 2));
--|  btrim | btrim | ltrim | rtrim | substring | substring
--| -------+-------+-------+-------+-----------+-----------
--|  a     | a     | ax    | a     |           | bc
--| (1 row)
create index on t ((row(i, v)));
--| ERROR:  42P16: column "row" has pseudo-type record
-- columns get other names
create table n (b text, year int, d date, escape text, nfc text, k text, time timestamp);
--| CREATE TABLE
create index on n (substring(b from 2)), (trim(b));
--| ERROR:  42601: syntax error at or near ","
create index on n (substring(b from 2), trim(b), overlay(b placing k from 1), position(b in k), (extract(year from d) + year), substring(b similar escape escape '#'), normalize(nfc, nfc));
--| CREATE INDEX
alter table n add check (nfc is nfc normalized and time at time zone 'UTC' is not null and b is distinct from k), add check (substring(b for year) > '');
--| ALTER TABLE
alter table n rename b to bee;
--| ALTER TABLE
alter table n rename year to y;
--| ALTER TABLE
alter table n rename escape to "Esc";
--| ALTER TABLE
alter table n rename nfc to form;
--| ALTER TABLE
alter table n rename time to at;
--| ALTER TABLE
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'n'::regclass;
--|                                                                                                                                                     pg_get_indexdef
--| ------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  CREATE INDEX n_substring_btrim_overlay_position_expr_substring1_normaliz_idx ON public.n USING btree (SUBSTRING(bee FROM 2), TRIM(BOTH FROM bee), OVERLAY(bee PLACING k FROM 1), POSITION((bee) IN (k)), ((EXTRACT(year FROM d) + (y)::numeric)), SUBSTRING(bee SIMILAR "Esc" ESCAPE '#'::text), NORMALIZE(form, NFC))
--| (1 row)
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'n'::regclass order by conname;
--|                                               pg_get_constraintdef
--| -----------------------------------------------------------------------------------------------------------------
--|  CHECK (((form IS NFC NORMALIZED) AND ((at AT TIME ZONE 'UTC'::text) IS NOT NULL) AND (bee IS DISTINCT FROM k)))
--|  CHECK ((SUBSTRING(bee FROM 1 FOR y) > ''::text))
--| (2 rows)
insert into n values ('x', 3, '2020-01-01', 'x', 'x', 'y', '2020-01-01');
--| INSERT 0 1
-- nothing is said by it
select 1 for read only;
--|  ?column?
--| ----------
--|         1
--| (1 row)
(select i from t for read only) union all values (2) order by 1 for read only;
--|  i
--| ---
--|  2
--| (1 row)
begin;
--| BEGIN
declare c cursor for select g from generate_series(1, 3) g for read only;
--| DECLARE CURSOR
fetch 2 from c;
--|  g
--| ---
--|  1
--|  2
--| (2 rows)
rollback;
--| ROLLBACK
