-- Types of parameters that nothing says: what tells one, and what is refused as nothing does.

create table t (i int, s smallint, b bigint, v varchar(10), ts timestamptz, n numeric(8,2));
--| CREATE TABLE
create domain whole as int;
--| CREATE DOMAIN
create domain names as text[];
--| CREATE DOMAIN
create table d (w whole, list whole[], name names, i int);
--| CREATE TABLE
create type pair as (w whole, i int);
--| CREATE TYPE
create table p (x pair);
--| CREATE TABLE
prepare any_of_texts as select 1 from t where v = any($1) and v <> all($2) and i = any($3);
--| PREPARE
prepare offsets as select sum(i) over (order by i range between $1 preceding and $2 following), sum(i) over (order by s range $3 preceding), sum(i) over (order by b range $4 preceding), sum(i) over (order by ts range $5 preceding), sum(i) over (order by i rows $6 preceding) from t;
--| PREPARE
prepare of_domains as insert into d values ($1, $2, $3, $4);
--| PREPARE
prepare of_domains_set as update d set w = $1, list = $2 where w = $3;
--| PREPARE
prepare of_domain_cast as select $1::whole + 1, cardinality(cast($2 as names));
--| PREPARE
prepare of_domain_field as update p set x.w = $1, x.i = $2;
--| PREPARE
prepare of_domain_said(whole, int) as select $1 + 1, $2 + 1;
--| PREPARE
prepare gives_domains as select w, list, name, i, w + 1 from d;
--| PREPARE
select name, parameter_types, result_types from pg_prepared_statements order by 1;
--|       name       |                  parameter_types                  |             result_types
--| -----------------+---------------------------------------------------+---------------------------------------
--|  any_of_texts    | {text[],text[],integer[]}                         | {integer}
--|  gives_domains   | {}                                                | {whole,whole[],names,integer,integer}
--|  of_domain_cast  | {whole,names}                                     | {integer,integer}
--|  of_domain_field | {whole,integer}                                   |
--|  of_domain_said  | {whole,integer}                                   | {integer,integer}
--|  of_domains      | {whole,whole[],names,integer}                     |
--|  of_domains_set  | {whole,whole[],integer}                           |
--|  offsets         | {integer,integer,smallint,bigint,interval,bigint} | {bigint,bigint,bigint,bigint,bigint}
--| (8 rows)
deallocate all;
--| DEALLOCATE ALL
-- Nothing tells what these are.
prepare q as select $1 is null;
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select 1 from t where $1 is not null;
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select count($1);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select count($1) over ();
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select concat($1, $2);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select concat_ws(',', 'a', $1);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select format('%s', $1);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select jsonb_build_object('a', $1);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select json_build_array($1);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select num_nulls($1);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select pg_typeof($1);
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select $2;
--| ERROR:  42P18: could not determine data type of parameter $1
prepare q as select i from t where i = $3 and v = $1;
--| ERROR:  42P18: could not determine data type of parameter $2
-- Told after it was met, and told twice.
prepare q as select $1 is null or i = $1 from t;
--| ERROR:  42P08: could not determine data type of parameter $1
prepare q as select 1 from t where $1 is null or i = $1;
--| ERROR:  42P08: could not determine data type of parameter $1
prepare q as select $1, $1::date;
--| ERROR:  42P08: inconsistent types deduced for parameter $1
--| DETAIL:  date versus text
prepare q as select $1, i from t where $1 = i;
--| ERROR:  42P08: inconsistent types deduced for parameter $1
--| DETAIL:  integer versus text
prepare q as select date $1;
--| ERROR:  42601: syntax error at or near "$1"
prepare q as select interval $1;
--| ERROR:  42601: syntax error at or near "$1"
prepare q as select timestamp with time zone $1;
--| ERROR:  42601: syntax error at or near "$1"
-- Told before.
prepare q1 as select 1 from t where i = $1 or $1 is null;
--| PREPARE
prepare q2 as select i = $1 from t where $1 is null;
--| PREPARE
prepare q3 as select $1::int is null or i = $1 from t;
--| PREPARE
prepare q4 as select $1, v from t where v = $1;
--| PREPARE
prepare q5 as select i = $1, pg_typeof($1), concat($1, 'x') from t;
--| PREPARE
prepare q6 as select $1, $1::text;
--| PREPARE
prepare q7 as select $1 union select $1::date;
--| PREPARE
prepare q8 as select coalesce($1, $2), greatest($3, 1), nullif($4, 'x'), $5 || 'x', json_array($6);
--| PREPARE
prepare q9 as insert into t (i, v) values ($1, $2), ($1, $2);
--| PREPARE
prepare q10 as update t set i = $1 where i = $2 and ($2 is null or $1 > 1);
--| PREPARE
select name, parameter_types, result_types from pg_prepared_statements order by length(name), 1;
--|  name |          parameter_types           |         result_types
--| ------+------------------------------------+-------------------------------
--|  q1   | {integer}                          | {integer}
--|  q2   | {integer}                          | {boolean}
--|  q3   | {integer}                          | {boolean}
--|  q4   | {text}                             | {text,"character varying"}
--|  q5   | {integer}                          | {boolean,regtype,text}
--|  q6   | {text}                             | {text,text}
--|  q7   | {date}                             | {date}
--|  q8   | {text,text,integer,text,text,text} | {text,integer,text,text,json}
--|  q9   | {integer,"character varying"}      |
--|  q10  | {integer,integer}                  |
--| (10 rows)
insert into t (i) values (1), (2);
--| INSERT 0 2
execute q1(1);
--|  ?column?
--| ----------
--|         1
--| (1 row)
execute q2(null);
--|  ?column?
--| ----------
--|
--|
--| (2 rows)
execute q5(2);
--|  ?column? | pg_typeof | concat
--| ----------+-----------+--------
--|  f        | integer   | 2x
--|  t        | integer   | 2x
--| (2 rows)
execute q8('a', 'b', 3, 'x', 'y', 'z');
--|  coalesce | greatest | nullif | ?column? | json_array
--| ----------+----------+--------+----------+------------
--|  a        |        3 |        | yx       | ["z"]
--| (1 row)
deallocate all;
--| DEALLOCATE ALL
select $1 is null;
--| ERROR:  42P02: there is no parameter $1
drop table t, d, p;
--| DROP TABLE
drop type pair;
--| DROP TYPE
drop domain whole, names;
--| DROP DOMAIN
