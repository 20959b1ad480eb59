-- The name of a type before a parameter is the call of one of the functions of that name, which has the parameter's type; before a literal it is a cast.
set timezone = 'UTC';
--| SET
prepare d as select date($1), date('2024-01-01 23:00:00-08');
--| PREPARE
execute d('2024-01-01 23:00:00-08');
--|     date    |    date
--| ------------+------------
--|  2024-01-02 | 2024-01-01
--| (1 row)
prepare o as select oid($1), text($2), name($3), cidr($4), macaddr($5), timetz($6), regclass($7);
--| PREPARE
select name, parameter_types, result_types from pg_prepared_statements order by name;
--|  name |                         parameter_types                          |                        result_types
--| ------+------------------------------------------------------------------+-------------------------------------------------------------
--|  d    | {"timestamp with time zone"}                                     | {date,date}
--|  o    | {bigint,text,name,inet,macaddr8,"timestamp with time zone",text} | {oid,text,name,cidr,macaddr,"time with time zone",regclass}
--| (2 rows)
prepare f as select float8($1);
--| ERROR:  42725: function float8(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select float4($1);
--| ERROR:  42725: function float4(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select int8($1);
--| ERROR:  42725: function int8(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select int4($1);
--| ERROR:  42725: function int4(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select int2($1);
--| ERROR:  42725: function int2(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select bool($1);
--| ERROR:  42725: function bool(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select money($1);
--| ERROR:  42725: function money(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select timestamptz($1);
--| ERROR:  42725: function timestamptz(unknown) is not unique
--| HINT:  Could not choose a best candidate function. You might need to add explicit type casts.
prepare f as select jsonb($1);
--| ERROR:  42883: function jsonb(unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
prepare f as select uuid($1);
--| ERROR:  42883: function uuid(unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select float8('1.5'), jsonb('{}'), uuid('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
--|  float8 | jsonb |                 uuid
--| --------+-------+--------------------------------------
--|     1.5 | {}    | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
--| (1 row)
prepare g(text) as select date($1), int4($1), jsonb($1);
--| PREPARE
