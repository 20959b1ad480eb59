-- Parts of a json keep the text that they had.
create type doc as (a text, j json, b jsonb, l json[], t text[]);
--| CREATE TYPE
select * from json_populate_record(null::doc, '{"a": [1,  2 ,{"x":1}], "j": {"k":   [1,2]}, "b": {"z": 1,"a":  2}, "l": [1,"2" , { "a":1 }], "t": ["x", {"y":1}]}');
--|         a         |       j        |        b         |             l             |        t
--| ------------------+----------------+------------------+---------------------------+-----------------
--|  [1,  2 ,{"x":1}] | {"k":   [1,2]} | {"a": 2, "z": 1} | {1,"\"2\"","{ \"a\":1 }"} | {x,"{\"y\":1}"}
--| (1 row)
select * from json_populate_recordset(null::doc, '[{"a": {"x":1,   "x":2}}, {"a": 1.50}, {"a": true}, {"a": "t\u0065xt"}]');
--|         a         | j | b | l | t
--| ------------------+---+---+---+---
--|  {"x":1,   "x":2} |   |   |   |
--|  1.50             |   |   |   |
--|  true             |   |   |   |
--|  text             |   |   |   |
--| (4 rows)
select * from json_to_record('{"a": [1,2,  3], "b": 1e2}') as x(a text, b text);
--|      a     |  b
--| -----------+-----
--|  [1,2,  3] | 1e2
--| (1 row)
select * from json_to_recordset('[{"a":[1,2]},{"a":{"b":1}}]') as x(a text);
--|     a
--| ---------
--|  [1,2]
--|  {"b":1}
--| (2 rows)
select * from json_populate_record(null::doc, '{"t": [1, [2]]}');
--|  a | j | b | l |    t
--| ---+---+---+---+---------
--|    |   |   |   | {1,[2]}
--| (1 row)
select * from json_populate_record(null::doc, '[1]');
--| ERROR:  22023: cannot call populate_composite on an array
select * from json_populate_record(null::doc, '"x"');
--| ERROR:  22023: cannot call populate_composite on a scalar
select * from json_populate_recordset(null::doc, '{"a": 1}');
--| ERROR:  22023: cannot call json_populate_recordset on an object
select * from json_populate_recordset(null::doc, '1');
--| ERROR:  22023: cannot call json_populate_recordset on a scalar
select * from json_populate_recordset(null::doc, '[{"a": 1}, 2]');
--| ERROR:  22023: argument of json_populate_recordset must be an array of objects
-- Rows of no composite type.
select json_populate_record(row(1, 2), '{"f1": 0, "f2": 1}');
--|  json_populate_record
--| ----------------------
--|  (0,1)
--| (1 row)
select json_populate_record(null::record, '{"x": 0}');
--| ERROR:  0A000: could not determine row type for result of json_populate_record
--| HINT:  Provide a non-null record argument, or call the function in the FROM clause using a column definition list.
select jsonb_populate_record(row(1, 2), '{"f1": 0, "f3": 1}');
--|  jsonb_populate_record
--| -----------------------
--|  (0,2)
--| (1 row)
select jsonb_populate_record(t, '{"b": "new"}') from (values (1, 'x'), (2, 'y')) t(a, b);
--|  jsonb_populate_record
--| -----------------------
--|  (1,new)
--|  (2,new)
--| (2 rows)
select i, json_populate_recordset(row(i, 50), '[{"f1": "42"}, {"f2": "43"}]') from (values (1), (2)) v(i);
--|  i | json_populate_recordset
--| ---+-------------------------
--|  1 | (42,50)
--|  1 | (1,43)
--|  2 | (42,50)
--|  2 | (2,43)
--| (4 rows)
select jsonb_populate_recordset(null::record, '[{"x": 0}]');
--| ERROR:  0A000: could not determine row type for result of jsonb_populate_recordset
--| HINT:  Provide a non-null record argument, or call the function in the FROM clause using a column definition list.
select jsonb_populate_recordset(row(1, 2), '[]');
--|  jsonb_populate_recordset
--| --------------------------
--| (0 rows)
