-- ROW of parameters that becomes a row of a composite type: they are of the types of its fields.
create type addr as (street text, zip varchar(3), loc numeric(9,2)[]);
--| CREATE TYPE
create table t (id int, a addr, b addr[]);
--| CREATE TABLE
prepare i as insert into t values ($1, row($2, $3, $4)) returning a;
--| PREPARE
execute i(1, 's', 'zip', '{1.5,2}');
--|            a
--| -----------------------
--|  (s,zip,"{1.50,2.00}")
--| (1 row)
--| INSERT 0 1
execute i(1, 's', 'zipp', '{1.5,2}');
--| ERROR:  22001: value too long for type character varying(3)
prepare u as update t set a = row($1, $2, $3), b = array[row($4, 'x', null)]::addr[] where id = 1 returning a, b;
--| PREPARE
execute u('r', 'zap', '{3}', 'q');
--|        a        |     b
--| ----------------+------------
--|  (r,zap,{3.00}) | {"(q,x,)"}
--| (1 row)
--| UPDATE 1
prepare c as select row($1, $2, $3)::addr, (row($4, $5, $6)::addr).loc[1] + 1;
--| PREPARE
execute c('s', 'zipp', '{1.555}', 's', 'z', '{7}');
--|       row       | ?column?
--| ----------------+----------
--|  (s,zip,{1.56}) |     8.00
--| (1 row)
prepare e as select count(*) from t where a = row($1, $2, $3)::addr;
--| PREPARE
execute e('r', 'zap', '{3}');
--|  count
--| -------
--|      1
--| (1 row)
select name, parameter_types from pg_prepared_statements order by name;
--|  name |                             parameter_types
--| ------+-------------------------------------------------------------------------
--|  c    | {text,"character varying",numeric[],text,"character varying",numeric[]}
--|  e    | {text,"character varying",numeric[]}
--|  i    | {integer,text,"character varying",numeric[]}
--|  u    | {text,"character varying",numeric[],text}
--| (4 rows)
create type num as (i int, d date);
--| CREATE TYPE
prepare v as select row($1, $2)::num from (values (1)) v(a) where $1 = a;
--| PREPARE
execute v(1, '2024-01-01');
--|       row
--| ----------------
--|  (1,2024-01-01)
--| (1 row)
select parameter_types from pg_prepared_statements where name = 'v';
--|  parameter_types
--| -----------------
--|  {integer,date}
--| (1 row)
