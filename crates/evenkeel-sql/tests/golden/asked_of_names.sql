-- What clients ask of objects by their names: comments, functions with their types.

select obj_description('public'::regnamespace), obj_description('public'::regnamespace, 'pg_namespace'), obj_description('public'::regnamespace, 'pg_class');
--|     obj_description     |    obj_description     | obj_description
--| ------------------------+------------------------+-----------------
--|  standard public schema | standard public schema |
--| (1 row)
create type asked as (x int, y text);
--| CREATE TYPE
comment on column asked.x is 'said';
--| COMMENT
comment on type asked is 'whole';
--| COMMENT
select col_description('asked'::regclass, 1), col_description('asked'::regclass, 2), obj_description('asked'::regtype, 'pg_type');
--|  col_description | col_description | obj_description
--| -----------------+-----------------+-----------------
--|  said            |                 | whole
--| (1 row)
select has_function_privilege('lower(text)', 'EXECUTE');
--|  has_function_privilege
--| ------------------------
--|  t
--| (1 row)
select has_function_privilege('lower(nosuch)', 'EXECUTE');
--| ERROR:  42704: type "nosuch" does not exist
select has_function_privilege('lower(int)', 'EXECUTE');
--| ERROR:  42883: function "lower(int)" does not exist
select has_function_privilege('lower', 'EXECUTE');
--| ERROR:  22P02: expected a left parenthesis
