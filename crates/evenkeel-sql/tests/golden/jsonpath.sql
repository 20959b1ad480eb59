-- jsonpath: texts, evaluation in both modes, predicates, methods, operators, indexes.

-- Texts.
select ''::jsonpath;
--| ERROR:  22P02: invalid input syntax for type jsonpath: ""
select '$'::jsonpath;
--|  jsonpath
--| ----------
--|  $
--| (1 row)
select 'strict $'::jsonpath;
--|  jsonpath
--| ----------
--|  strict $
--| (1 row)
select 'lax $'::jsonpath;
--|  jsonpath
--| ----------
--|  $
--| (1 row)
select '$.a.v'::jsonpath;
--|  jsonpath
--| -----------
--|  $."a"."v"
--| (1 row)
select '$.a.*'::jsonpath;
--|  jsonpath
--| ----------
--|  $."a".*
--| (1 row)
select '$.*[*]'::jsonpath;
--|  jsonpath
--| ----------
--|  $.*[*]
--| (1 row)
select '$[*][0].a.b'::jsonpath;
--|     jsonpath
--| -----------------
--|  $[*][0]."a"."b"
--| (1 row)
select '$.a.**.b'::jsonpath;
--|    jsonpath
--| --------------
--|  $."a".**."b"
--| (1 row)
select '$.a.**{2}.b'::jsonpath;
--|     jsonpath
--| -----------------
--|  $."a".**{2}."b"
--| (1 row)
select '$.a.**{2 to 2}.b'::jsonpath;
--|     jsonpath
--| -----------------
--|  $."a".**{2}."b"
--| (1 row)
select '$.a.**{0 to 5}.b'::jsonpath;
--|        jsonpath
--| ----------------------
--|  $."a".**{0 to 5}."b"
--| (1 row)
select '$.a.**{5 to last}.b'::jsonpath;
--|         jsonpath
--| -------------------------
--|  $."a".**{5 to last}."b"
--| (1 row)
select '$.a.**{last}.b'::jsonpath;
--|       jsonpath
--| --------------------
--|  $."a".**{last}."b"
--| (1 row)
select '$.a.**{last to 5}.b'::jsonpath;
--|         jsonpath
--| -------------------------
--|  $."a".**{last to 5}."b"
--| (1 row)
select '$+1'::jsonpath;
--|  jsonpath
--| ----------
--|  ($ + 1)
--| (1 row)
select '$--+1'::jsonpath;
--|  jsonpath
--| ----------
--|  ($ - -1)
--| (1 row)
select '$.a/+-1'::jsonpath;
--|    jsonpath
--| --------------
--|  ($."a" / -1)
--| (1 row)
select '1 * 2 + 4 % -3 != false'::jsonpath;
--|          jsonpath
--| ---------------------------
--|  (1 * 2 + 4 % -3 != false)
--| (1 row)
select '"\b\f\r\n\t\v\"\''\\"'::jsonpath;
--|         jsonpath
--| -------------------------
--|  "\b\f\r\n\t\u000b\"'\\"
--| (1 row)
select '"\x50\u0067\u{53}\u{051}\u{00004C}"'::jsonpath;
--|  jsonpath
--| ----------
--|  "PgSQL"
--| (1 row)
select '$.foo\x50\u0067\u{53}\u{051}\u{00004C}\t\"bar'::jsonpath;
--|       jsonpath
--| ---------------------
--|  $."fooPgSQL\t\"bar"
--| (1 row)
select '$.g ? (@.a == 1 || @.a == 4 && @.b == 7)'::jsonpath;
--|                     jsonpath
--| ------------------------------------------------
--|  $."g"?(@."a" == 1 || @."a" == 4 && @."b" == 7)
--| (1 row)
select '$.g ? (@.a == 1 || !(@.x >= 123 || @.a == 4) && @.b == 7)'::jsonpath;
--|                              jsonpath
--| -------------------------------------------------------------------
--|  $."g"?(@."a" == 1 || !(@."x" >= 123 || @."a" == 4) && @."b" == 7)
--| (1 row)
select '$.g ? (@.x >= @[*]?(@.a > "abc"))'::jsonpath;
--|                jsonpath
--| ---------------------------------------
--|  $."g"?(@."x" >= @[*]?(@."a" > "abc"))
--| (1 row)
select '$.g ? ((@.x >= 123 || @.a == 4) is unknown)'::jsonpath;
--|                     jsonpath
--| -------------------------------------------------
--|  $."g"?((@."x" >= 123 || @."a" == 4) is unknown)
--| (1 row)
select '$.g ? ((@.x >= 123 || @.a == 4) && exists (@.x ? (@ == 14)))'::jsonpath;
--|                              jsonpath
--| ------------------------------------------------------------------
--|  $."g"?((@."x" >= 123 || @."a" == 4) && exists (@."x"?(@ == 14)))
--| (1 row)
select '$.g ? (+@.x >= +-(+@.a + 2))'::jsonpath;
--|               jsonpath
--| ------------------------------------
--|  $."g"?(+@."x" >= +(-(+@."a" + 2)))
--| (1 row)
select '$a[*]'::jsonpath;
--|  jsonpath
--| ----------
--|  $"a"[*]
--| (1 row)
select '$.g ? (@.zip == $zip)'::jsonpath;
--|          jsonpath
--| ---------------------------
--|  $."g"?(@."zip" == $"zip")
--| (1 row)
select '$.a[1,2, 3 to 16]'::jsonpath;
--|       jsonpath
--| --------------------
--|  $."a"[1,2,3 to 16]
--| (1 row)
select '$.a[$a + 1, ($b[*]) to -($[0] * 2)]'::jsonpath;
--|                 jsonpath
--| ----------------------------------------
--|  $."a"[$"a" + 1,$"b"[*] to -($[0] * 2)]
--| (1 row)
select '$.a[$.a.size() - 3]'::jsonpath;
--|         jsonpath
--| -------------------------
--|  $."a"[$."a".size() - 3]
--| (1 row)
select 'last'::jsonpath;
--| ERROR:  42601: LAST is allowed only in array subscripts
select '"last"'::jsonpath;
--|  jsonpath
--| ----------
--|  "last"
--| (1 row)
select '$.last'::jsonpath;
--|  jsonpath
--| ----------
--|  $."last"
--| (1 row)
select '$ ? (last > 0)'::jsonpath;
--| ERROR:  42601: LAST is allowed only in array subscripts
select '$[last]'::jsonpath;
--|  jsonpath
--| ----------
--|  $[last]
--| (1 row)
select '$[$[0] ? (last > 0)]'::jsonpath;
--|       jsonpath
--| --------------------
--|  $[$[0]?(last > 0)]
--| (1 row)
select 'null.type()'::jsonpath;
--|   jsonpath
--| -------------
--|  null.type()
--| (1 row)
select '1.type()'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1.t" of jsonpath input
select '(1).type()'::jsonpath;
--|   jsonpath
--| ------------
--|  (1).type()
--| (1 row)
select '1.2.type()'::jsonpath;
--|    jsonpath
--| --------------
--|  (1.2).type()
--| (1 row)
select '"aaa".type()'::jsonpath;
--|    jsonpath
--| --------------
--|  "aaa".type()
--| (1 row)
select '$.double().floor().ceiling().abs()'::jsonpath;
--|               jsonpath
--| ------------------------------------
--|  $.double().floor().ceiling().abs()
--| (1 row)
select '$.keyvalue().key'::jsonpath;
--|       jsonpath
--| --------------------
--|  $.keyvalue()."key"
--| (1 row)
select '$.datetime()'::jsonpath;
--|    jsonpath
--| --------------
--|  $.datetime()
--| (1 row)
select '$.datetime("datetime template")'::jsonpath;
--|             jsonpath
--| ---------------------------------
--|  $.datetime("datetime template")
--| (1 row)
select '$.bigint().integer().number().decimal()'::jsonpath;
--|                 jsonpath
--| -----------------------------------------
--|  $.bigint().integer().number().decimal()
--| (1 row)
select '$.string()'::jsonpath;
--|   jsonpath
--| ------------
--|  $.string()
--| (1 row)
select '$.time()'::jsonpath;
--|  jsonpath
--| ----------
--|  $.time()
--| (1 row)
select '$.time(6)'::jsonpath;
--|  jsonpath
--| -----------
--|  $.time(6)
--| (1 row)
select '$.time_tz(4)'::jsonpath;
--|    jsonpath
--| --------------
--|  $.time_tz(4)
--| (1 row)
select '$.timestamp(2)'::jsonpath;
--|     jsonpath
--| ----------------
--|  $.timestamp(2)
--| (1 row)
select '$.timestamp_tz(0)'::jsonpath;
--|      jsonpath
--| -------------------
--|  $.timestamp_tz(0)
--| (1 row)
select '$.decimal(4,2)'::jsonpath;
--|     jsonpath
--| ----------------
--|  $.decimal(4,2)
--| (1 row)
select '$.boolean().date()'::jsonpath;
--|       jsonpath
--| --------------------
--|  $.boolean().date()
--| (1 row)
select '$ ? (@ starts with "abc")'::jsonpath;
--|         jsonpath
--| -------------------------
--|  $?(@ starts with "abc")
--| (1 row)
select '$ ? (@ starts with $var)'::jsonpath;
--|          jsonpath
--| --------------------------
--|  $?(@ starts with $"var")
--| (1 row)
select '$ ? (@ like_regex "(invalid pattern")'::jsonpath;
--| ERROR:  2201B: invalid regular expression: parentheses () not balanced
select '$ ? (@ like_regex "pattern" flag "")'::jsonpath;
--|           jsonpath
--| ----------------------------
--|  $?(@ like_regex "pattern")
--| (1 row)
select '$ ? (@ like_regex "pattern" flag "isim")'::jsonpath;
--|                jsonpath
--| ---------------------------------------
--|  $?(@ like_regex "pattern" flag "ism")
--| (1 row)
select '$ ? (@ like_regex "pattern" flag "xsms")'::jsonpath;
--| ERROR:  0A000: XQuery "x" flag (expanded regular expressions) is not implemented
select '$ ? (@ like_regex "pattern" flag "q")'::jsonpath;
--|               jsonpath
--| -------------------------------------
--|  $?(@ like_regex "pattern" flag "q")
--| (1 row)
select '$ ? (@ like_regex "pattern" flag "smixq")'::jsonpath;
--|                 jsonpath
--| -----------------------------------------
--|  $?(@ like_regex "pattern" flag "ismxq")
--| (1 row)
select '$ ? (@ like_regex "pattern" flag "a")'::jsonpath;
--| ERROR:  42601: invalid input syntax for type jsonpath
--| DETAIL:  Unrecognized flag character "a" in LIKE_REGEX predicate.
select '$ < 1'::jsonpath;
--|  jsonpath
--| ----------
--|  ($ < 1)
--| (1 row)
select '($ < 1) || $.a.b <= $x'::jsonpath;
--|            jsonpath
--| ------------------------------
--|  ($ < 1 || $."a"."b" <= $"x")
--| (1 row)
select '@ + 1'::jsonpath;
--| ERROR:  42601: @ is not allowed in root expressions
select '($).a.b'::jsonpath;
--|  jsonpath
--| -----------
--|  $."a"."b"
--| (1 row)
select '($.a.b).c.d'::jsonpath;
--|      jsonpath
--| -------------------
--|  $."a"."b"."c"."d"
--| (1 row)
select '($.a.b + -$.x.y).c.d'::jsonpath;
--|              jsonpath
--| ----------------------------------
--|  ($."a"."b" + -$."x"."y")."c"."d"
--| (1 row)
select '(-+$.a.b).c.d'::jsonpath;
--|         jsonpath
--| -------------------------
--|  (-(+$."a"."b"))."c"."d"
--| (1 row)
select '1 + ($.a.b + 2).c.d'::jsonpath;
--|            jsonpath
--| -------------------------------
--|  (1 + ($."a"."b" + 2)."c"."d")
--| (1 row)
select '1 + ($.a.b > 2).c.d'::jsonpath;
--|            jsonpath
--| -------------------------------
--|  (1 + ($."a"."b" > 2)."c"."d")
--| (1 row)
select '(($))'::jsonpath;
--|  jsonpath
--| ----------
--|  $
--| (1 row)
select '((($ + 1)).a + ((2)).b ? ((((@ > 1)) || (exists(@.c)))))'::jsonpath;
--|                      jsonpath
--| ---------------------------------------------------
--|  (($ + 1)."a" + (2)."b"?(@ > 1 || exists (@."c")))
--| (1 row)
select '$ ? (@.a < -.1e+1)'::jsonpath;
--|     jsonpath
--| ----------------
--|  $?(@."a" < -1)
--| (1 row)
select '$ ? (@.a < +10.1)'::jsonpath;
--|      jsonpath
--| ------------------
--|  $?(@."a" < 10.1)
--| (1 row)
select '0'::jsonpath;
--|  jsonpath
--| ----------
--|  0
--| (1 row)
select '00'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "00" of jsonpath input
select '0755'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '0.0'::jsonpath;
--|  jsonpath
--| ----------
--|  0.0
--| (1 row)
select '0.000e3'::jsonpath;
--|  jsonpath
--| ----------
--|  0
--| (1 row)
select '0.0010e-1'::jsonpath;
--|  jsonpath
--| ----------
--|  0.00010
--| (1 row)
select '1e'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1e" of jsonpath input
select '1.e'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1.e" of jsonpath input
select '1.2e'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1.2e" of jsonpath input
select '1.2.e'::jsonpath;
--|  jsonpath
--| -----------
--|  (1.2)."e"
--| (1 row)
select '(1.2).e3'::jsonpath;
--|   jsonpath
--| ------------
--|  (1.2)."e3"
--| (1 row)
select '1e3'::jsonpath;
--|  jsonpath
--| ----------
--|  1000
--| (1 row)
select '1.e3.e4'::jsonpath;
--|   jsonpath
--| -------------
--|  (1000)."e4"
--| (1 row)
select '1..e'::jsonpath;
--|  jsonpath
--| ----------
--|  (1)."e"
--| (1 row)
select '(1.).e'::jsonpath;
--|  jsonpath
--| ----------
--|  (1)."e"
--| (1 row)
select '1?(2>3)'::jsonpath;
--|   jsonpath
--| -------------
--|  (1)?(2 > 3)
--| (1 row)
select '0b100101'::jsonpath;
--|  jsonpath
--| ----------
--|  37
--| (1 row)
select '0o273'::jsonpath;
--|  jsonpath
--| ----------
--|  187
--| (1 row)
select '0x42F'::jsonpath;
--|  jsonpath
--| ----------
--|  1071
--| (1 row)
select '0b'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "0b" of jsonpath input
select '1b'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1b" of jsonpath input
select '0x'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "0x" of jsonpath input
select '0o'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "0o" of jsonpath input
select '00123'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '1_000_000'::jsonpath;
--|  jsonpath
--| ----------
--|  1000000
--| (1 row)
select '1_2_3'::jsonpath;
--|  jsonpath
--| ----------
--|  123
--| (1 row)
select '0x1EEE_FFFF'::jsonpath;
--|  jsonpath
--| -----------
--|  518979583
--| (1 row)
select '1_000.000_005'::jsonpath;
--|   jsonpath
--| -------------
--|  1000.000005
--| (1 row)
select '1_000.'::jsonpath;
--|  jsonpath
--| ----------
--|  1000
--| (1 row)
select '1_000.5e0_1'::jsonpath;
--|  jsonpath
--| ----------
--|  10005
--| (1 row)
select '_100'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '100_'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "100_" of jsonpath input
select '100__000'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '_1_000.5'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '1_000._5'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000._" of jsonpath input
select '1_000.5_'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000.5_" of jsonpath input
select '1_000.5e_1'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near "1_000.5e" of jsonpath input
select '1ab'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$.1ab'::jsonpath;
--| ERROR:  42601: trailing junk after numeric literal at or near ".1a" of jsonpath input
select '$/**/.b /* c */'::jsonpath;
--|  jsonpath
--| ----------
--|  $."b"
--| (1 row)
select '$x/**/.b'::jsonpath;
--|  jsonpath
--| ----------
--|  $"x"."b"
--| (1 row)
select '$ x'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$ x '::jsonpath;
--| ERROR:  42601: syntax error at or near " " of jsonpath input
select '$ "x"'::jsonpath;
--| ERROR:  42601: syntax error at or near """ of jsonpath input
select '.e'::jsonpath;
--| ERROR:  42601: syntax error at or near "." of jsonpath input
select '$."a'::jsonpath;
--| ERROR:  42601: unterminated quoted string at end of jsonpath input
select '$.a\'::jsonpath;
--| ERROR:  42601: unexpected end after backslash at or near "\" of jsonpath input
select '$.a\qb'::jsonpath;
--|  jsonpath
--| ----------
--|  $."aqb"
--| (1 row)
select '"\uD800"'::jsonpath;
--| ERROR:  22P02: invalid input syntax for type jsonpath
--| DETAIL:  Unicode low surrogate must follow a high surrogate.
select '"\uDC00"'::jsonpath;
--| ERROR:  22P02: invalid input syntax for type jsonpath
--| DETAIL:  Unicode low surrogate must follow a high surrogate.
select '"\uD800\uD800"'::jsonpath;
--| ERROR:  22P02: invalid input syntax for type jsonpath
--| DETAIL:  Unicode high surrogate must not follow a high surrogate.
select '"\ud83d\ude04\ud83d\udc36"'::jsonpath;
--|  jsonpath
--| ----------
--|  "😄🐶"
--| (1 row)
select '"\u12"'::jsonpath;
--| ERROR:  42601: invalid Unicode escape sequence at or near "\u12" of jsonpath input
select '"\x1"'::jsonpath;
--| ERROR:  42601: invalid hexadecimal character sequence at or near "\x1" of jsonpath input
select '"\u0000"'::jsonpath;
--| ERROR:  22P05: unsupported Unicode escape sequence
--| DETAIL:  \u0000 cannot be converted to text.
select '"\u{110000}"'::jsonpath;
--| ERROR:  42601: invalid Unicode code point
select '"\u{1234567}"'::jsonpath;
--| ERROR:  42601: invalid Unicode escape sequence at or near "\u{123456" of jsonpath input
select '  '::jsonpath;
--| ERROR:  22P02: invalid input syntax for type jsonpath: "  "
select '/* x'::jsonpath;
--| ERROR:  42601: unexpected end of comment at end of jsonpath input
select '$ + '::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '($'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$.**{2147483648}'::jsonpath;
--| ERROR:  22003: value "2147483648" is out of range for type integer
select '$.**{0x1f}'::jsonpath;
--|  jsonpath
--| ----------
--|  $.**{31}
--| (1 row)
select '$.decimal(1,2,3)'::jsonpath;
--| ERROR:  42601: invalid input syntax for type jsonpath
--| DETAIL:  .decimal() can only have an optional precision[,scale].
select '$.decimal(-1,+2)'::jsonpath;
--|     jsonpath
--| -----------------
--|  $.decimal(-1,2)
--| (1 row)
select '$.date(2)'::jsonpath;
--| ERROR:  42601: syntax error at or near "2" of jsonpath input
select '$.time(-1)'::jsonpath;
--| ERROR:  42601: syntax error at or near "-" of jsonpath input
select '$.foo()'::jsonpath;
--| ERROR:  42601: syntax error at or near "(" of jsonpath input
select '$ ? (1)'::jsonpath;
--| ERROR:  42601: syntax error at or near ")" of jsonpath input
select '1 < 2 < 3'::jsonpath;
--| ERROR:  42601: syntax error at or near "<" of jsonpath input
select '!(1)'::jsonpath;
--| ERROR:  42601: syntax error at or near ")" of jsonpath input
select '!(1==1) == 1'::jsonpath;
--| ERROR:  42601: syntax error at or near "==" of jsonpath input
select '(1==1) + 1'::jsonpath;
--| ERROR:  42601: syntax error at or near "+" of jsonpath input
select '(!(1==1)).type()'::jsonpath;
--|      jsonpath
--| ------------------
--|  !(1 == 1).type()
--| (1 row)
select '(exists($)).type()'::jsonpath;
--|      jsonpath
--| -------------------
--|  exists ($).type()
--| (1 row)
select '((1==1) is unknown).type()'::jsonpath;
--|           jsonpath
--| ----------------------------
--|  (1 == 1) is unknown.type()
--| (1 row)
select '$[(1+2).abs()]'::jsonpath;
--|     jsonpath
--| ----------------
--|  $[1 + 2.abs()]
--| (1 row)
select '(1 == 1 && 2 == 2).type() == 3'::jsonpath;
--|              jsonpath
--| ----------------------------------
--|  ((1 == 1 && 2 == 2).type() == 3)
--| (1 row)
select '$.TRUE'::jsonpath;
--|  jsonpath
--| ----------
--|  $."TRUE"
--| (1 row)
select 'TRUE'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select 'STRICT $.TYPE()'::jsonpath;
--|     jsonpath
--| -----------------
--|  strict $.type()
--| (1 row)
select '$é.ü'::jsonpath;
--|  jsonpath
--| ----------
--|  $"é"."ü"
--| (1 row)
select '$foo"bar"'::jsonpath;
--| ERROR:  42601: syntax error at or near """ of jsonpath input
select '$"foo bar".x'::jsonpath;
--|     jsonpath
--| ----------------
--|  $"foo bar"."x"
--| (1 row)
select '$''a'''::jsonpath;
--|  jsonpath
--| ----------
--|  $"'a'"
--| (1 row)
select '$ starts with 1'::jsonpath;
--| ERROR:  42601: syntax error at or near "1" of jsonpath input
select '$ && $'::jsonpath;
--| ERROR:  42601: syntax error at or near "&&" of jsonpath input
select '1e1000000'::jsonpath;
--| ERROR:  22003: value overflows numeric format
select '$.a # b'::jsonpath;
--| ERROR:  42601: syntax error at or near "#" of jsonpath input
select '$; b'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select 'lax'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select 'lax strict $'::jsonpath;
--| ERROR:  42601: syntax error at or near " " of jsonpath input
select '$.lax.strict.to.is.like_regex.datetime'::jsonpath;
--|                       jsonpath
--| ----------------------------------------------------
--|  $."lax"."strict"."to"."is"."like_regex"."datetime"
--| (1 row)
select 'exists($.a)'::jsonpath;
--|     jsonpath
--| ----------------
--|  exists ($."a")
--| (1 row)
select '1 + exists($)'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '1 + (1 == 1)'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$[*'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$[1 to]'::jsonpath;
--| ERROR:  42601: syntax error at or near "]" of jsonpath input
select '$[]'::jsonpath;
--| ERROR:  42601: syntax error at or near "]" of jsonpath input
select '$.'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$..a'::jsonpath;
--| ERROR:  42601: syntax error at or near "." of jsonpath input
select '-'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$.**{1'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '$.**{x}'::jsonpath;
--| ERROR:  42601: syntax error at end of jsonpath input
select '@'::jsonpath;
--| ERROR:  42601: @ is not allowed in root expressions
select '$ ? (@ > last)'::jsonpath;
--| ERROR:  42601: LAST is allowed only in array subscripts
select '$.a'::jsonpath = '$.a'::jsonpath;
--| ERROR:  42883: operator does not exist: jsonpath = jsonpath
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
select '$.a'::text::jsonpath, '$.a'::jsonpath::text, pg_typeof('$.a'::jsonpath), '{$.a,"strict $[1,2]"}'::jsonpath[];
--|  jsonpath | text  | pg_typeof |          jsonpath
--| ----------+-------+-----------+-----------------------------
--|  $."a"    | $."a" | jsonpath  | {"$.\"a\"","strict $[1,2]"}
--| (1 row)

-- The operators @? and @@.
select jsonb '{"a": 12}' @? '$';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": 12}' @? '1';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": 12}' @? '$.a.b';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '{"a": 12}' @? '$.b';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '{"a": 12}' @? '$.a + 2';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": 12}' @? '$.b + 2';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '{"a": {"a": 12}}' @? '$.a.a';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"b": {"a": 12}}' @? '$.*.a';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"b": {"a": 12}}' @? 'strict $.*.b';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '{}' @? '$.*';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '{"a": {"b": 1}}' @? 'lax $.**{1}';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": {"b": 1}}' @? 'lax $.**{2}';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": {"b": 1}}' @? 'lax $.**{3}';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '[]' @? '$[*]';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '[1]' @? '$[*]';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '[1]' @? '$[1]';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '[1]' @? 'strict $[1]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[1]' @? 'lax $[10000000000000000]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[1]' @? 'strict $[10000000000000000]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[1]' @? '$[0.9]';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '[1]' @? '$[1.2]';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '[1]' @? 'strict $[1.2]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '{"a": [1,2,3], "b": [3,4,5]}' @? '$ ? (@.a[*] >  @.b[*])';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '{"a": [1,2,3], "b": [3,4,5]}' @? '$ ? (@.a[*] >= @.b[*])';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": [1,2,3], "b": [3,4,"5"]}' @? '$ ? (@.a[*] >= @.b[*])';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": [1,2,3], "b": [3,4,"5"]}' @? 'strict $ ? (@.a[*] >= @.b[*])';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '{"a": [1,2,3], "b": [3,4,null]}' @? '$ ? (@.a[*] >= @.b[*])';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '1' @? '$ ? ((@ == "1") is unknown)';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '1' @? '$ ? ((@ == 1) is unknown)';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '[{"a": 1}, {"a": 2}]' @? '$[0 to 1] ? (@.a > 1)';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"c": {"a": 1, "b":1}}' @? '$.c ? ($.c.a == @.b)';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"c": {"a": 1, "b":1}}' @? '$.** ? (@.a == @.b)';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"c": {"a": 2, "b":1}}' @? '$.** ? (@.a == 1 - - @.b)';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '[1,2,3]' @? '$ ? (+@[*] > +2)';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '[1,2,3]' @? '$ ? (+@[*] > +3)';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '[1,2,3]' @? '$ ? (-@[*] < -2)';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '["1",2,0,3]' @? '-$[*]';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '[1,"2",0,3]' @? '-$[*]';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '["1",2,0,3]' @? 'strict -$[*]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[1,"2",0,3]' @? 'strict -$[*]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '2' @? '$ == "2"';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '{"a": 1, "b": [1, 2]}' @? 'lax $.keyvalue().key';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '1' @? '$x';
--| ERROR:  42704: could not find jsonpath variable "x"
select jsonb '"2023-08-15 12:34:56 +05:30"' @? '$.timestamp()';
--| ERROR:  0A000: cannot convert value from timestamptz to timestamp without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb '2' @@ '$ > 1';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb '2' @@ '$ <= 1';
--|  ?column?
--| ----------
--|  f
--| (1 row)
select jsonb '2' @@ '$ == "2"';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '2' @@ '1';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '{}' @@ '$';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[]' @@ '$';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[1,2,3]' @@ '$[*]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[]' @@ '$[*]';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb '[true]' @@ '$[*]';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb 'true' @@ '$';
--|  ?column?
--| ----------
--|  t
--| (1 row)
select jsonb 'null' @@ '$';
--|  ?column?
--| ----------
--|
--| (1 row)
select jsonb_path_exists('[{"a": 1}, {"a": 2}, 3]', 'lax $[*].a', silent => false);
--|  jsonb_path_exists
--| -------------------
--|  t
--| (1 row)
select jsonb_path_exists('[{"a": 1}, {"a": 2}, 3]', 'lax $[*].a', silent => true);
--|  jsonb_path_exists
--| -------------------
--|  t
--| (1 row)
select jsonb_path_exists('[{"a": 1}, {"a": 2}, 3]', 'strict $[*].a', silent => false);
--| ERROR:  2203A: jsonpath member accessor can only be applied to an object
select jsonb_path_exists('[{"a": 1}, {"a": 2}, 3]', 'strict $[*].a', silent => true);
--|  jsonb_path_exists
--| -------------------
--|
--| (1 row)
select jsonb_path_match('[{"a": 1}, {"a": 2}, 3]', 'lax exists($[*].a)', silent => false);
--|  jsonb_path_match
--| ------------------
--|  t
--| (1 row)
select jsonb_path_match('[{"a": 1}, {"a": 2}, 3]', 'lax exists($[*].a)', silent => true);
--|  jsonb_path_match
--| ------------------
--|  t
--| (1 row)
select jsonb_path_match('[{"a": 1}, {"a": 2}, 3]', 'strict exists($[*].a)', silent => false);
--|  jsonb_path_match
--| ------------------
--|
--| (1 row)
select jsonb_path_match('[{"a": 1}, {"a": 2}, 3]', 'strict exists($[*].a)', silent => true);
--|  jsonb_path_match
--| ------------------
--|
--| (1 row)
select jsonb_path_match('[[1, true], [2, false]]', 'strict $[*] ? (@[0] > $x) [1]', '{"x": 1}');
--|  jsonb_path_match
--| ------------------
--|  f
--| (1 row)
select jsonb_path_match('[[1, true], [2, false]]', 'strict $[*] ? (@[0] < $x) [1]', '{"x": 2}');
--|  jsonb_path_match
--| ------------------
--|  t
--| (1 row)
select jsonb_path_match('1', '$'), 1;
--| ERROR:  22038: single boolean result is expected
select jsonb_path_match('1', '$', silent => true), jsonb_path_match('[1,1]', '$[*] == 1');
--|  jsonb_path_match | jsonb_path_match
--| ------------------+------------------
--|                   | t
--| (1 row)
select jsonb_path_exists(null, '$'), jsonb_path_exists('1', null), jsonb_path_exists('1', '$', null);
--|  jsonb_path_exists | jsonb_path_exists | jsonb_path_exists
--| -------------------+-------------------+-------------------
--|                    |                   |
--| (1 row)

-- Structure.
select jsonb_path_query('1', 'lax $.a');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('1', 'lax $.a', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('1', 'strict $.a');
--| ERROR:  2203A: jsonpath member accessor can only be applied to an object
select jsonb_path_query('1', 'strict $.a', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('1', 'strict $.*');
--| ERROR:  2203C: jsonpath wildcard member accessor can only be applied to an object
select jsonb_path_query('1', 'strict $.*', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('1', 'strict $[1]');
--| ERROR:  22039: jsonpath array accessor can only be applied to an array
select jsonb_path_query('1', 'strict $[1]', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('1', 'strict $[*]');
--| ERROR:  22039: jsonpath wildcard array accessor can only be applied to an array
select jsonb_path_query('1', 'strict $[*]', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[]', 'lax $.a');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[]', 'strict $.a');
--| ERROR:  2203A: jsonpath member accessor can only be applied to an object
select jsonb_path_query('[]', 'strict $["a"]');
--| ERROR:  22033: jsonpath array subscript is not a single numeric value
select jsonb_path_query('[]', '$[last]');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[]', 'strict $[last]');
--| ERROR:  22033: jsonpath array subscript is out of bounds
select jsonb_path_query('[]', '$[last ? (exists(last))]');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', 'lax $.a');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', 'strict $.a');
--| ERROR:  2203A: JSON object does not contain key "a"
select jsonb_path_query('{}', 'strict $["a"]');
--| ERROR:  22039: jsonpath array accessor can only be applied to an array
select jsonb_path_query('{}', '$[last]');
--|  jsonb_path_query
--| ------------------
--|  {}
--| (1 row)
select jsonb_path_query('{}', 'strict $[last]');
--| ERROR:  22039: jsonpath array accessor can only be applied to an array
select jsonb_path_query('{}', '$[last ? (exists(last))]');
--|  jsonb_path_query
--| ------------------
--|  {}
--| (1 row)
select jsonb_path_query('{"a": 12, "b": {"a": 13}}', '$.*');
--|  jsonb_path_query
--| ------------------
--|  12
--|  {"a": 13}
--| (2 rows)
select jsonb_path_query('{"a": 12, "b": {"a": 13}}', 'lax $.*.a');
--|  jsonb_path_query
--| ------------------
--|  13
--| (1 row)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'lax $[*].a');
--|  jsonb_path_query
--| ------------------
--|  13
--| (1 row)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'lax $[*].*');
--|  jsonb_path_query
--| ------------------
--|  13
--|  14
--| (2 rows)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'lax $[0].a');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'lax $[1].a');
--|  jsonb_path_query
--| ------------------
--|  13
--| (1 row)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'lax $[0,1].a');
--|  jsonb_path_query
--| ------------------
--|  13
--| (1 row)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'lax $[0 to 10].a');
--|  jsonb_path_query
--| ------------------
--|  13
--| (1 row)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'lax $[0 to 10 / 0].a');
--| ERROR:  22012: division by zero
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', '$[2 to 0]');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', 'strict $[2 to 0]');
--| ERROR:  22033: jsonpath array subscript is out of bounds
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', '$[-1]');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', '$["x"]');
--| ERROR:  22033: jsonpath array subscript is not a single numeric value
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', '$[1,1,0]');
--|  jsonb_path_query
--| ------------------
--|  {"a": 13}
--|  {"a": 13}
--|  12
--| (3 rows)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', '$[*] ? (@.a == 13)');
--|  jsonb_path_query
--| ------------------
--|  {"a": 13}
--| (1 row)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}]', '$[*] ? (!exists(@.a))');
--|  jsonb_path_query
--| ------------------
--|  12
--|  {"b": 14}
--| (2 rows)
select jsonb_path_query('[12, {"a": 13}, {"b": 14}, "ccc", true]', '$[2.5 - 1 to $.size() - 2]');
--|  jsonb_path_query
--| ------------------
--|  {"a": 13}
--|  {"b": 14}
--|  "ccc"
--| (3 rows)
select jsonb_path_query('1', 'lax $[0]');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('1', 'lax $[*]');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('1', 'lax $[last]');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('1', 'lax $[0 to 3]');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('[1,2,3]', 'lax $[*]');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--|  3
--| (3 rows)
select jsonb_path_query('[1,2,3]', 'strict $[*].a');
--| ERROR:  2203A: jsonpath member accessor can only be applied to an object
select jsonb_path_query('[1,2,3]', '$[last]');
--|  jsonb_path_query
--| ------------------
--|  3
--| (1 row)
select jsonb_path_query('[1,2,3]', '$[last - 1]');
--|  jsonb_path_query
--| ------------------
--|  2
--| (1 row)
select jsonb_path_query('[1,2,3]', '$[last ? (@.type() == "number")]');
--|  jsonb_path_query
--| ------------------
--|  3
--| (1 row)
select jsonb_path_query('[1,2,3]', '$[last ? (@.type() == "string")]');
--| ERROR:  22033: jsonpath array subscript is not a single numeric value
select jsonb_path_query('[1,2,3]', '$[$[0] to last]');
--|  jsonb_path_query
--| ------------------
--|  2
--|  3
--| (2 rows)
select jsonb_path_query('[1,2,3]', 'strict $[*].a', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[1,2,3]', '$[last ? (@.type() == "string")]', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[[1,2],[3,[4]]]', '$[*][*]');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--|  3
--|  [4]
--| (4 rows)
select jsonb_path_query('[[1,2],[3,[4]]]', '$.**');
--|   jsonb_path_query
--| --------------------
--|  [[1, 2], [3, [4]]]
--|  [1, 2]
--|  1
--|  2
--|  [3, [4]]
--|  3
--|  [4]
--|  4
--| (8 rows)
select jsonb_path_query('[[1,2],[3,[4]]]', 'strict $.**[*]');
--|  jsonb_path_query
--| ------------------
--|  [1, 2]
--|  [3, [4]]
--|  1
--|  2
--|  3
--|  [4]
--|  4
--| (7 rows)
select jsonb_path_query('[[1,2],[3,[4]]]', '$[*].size()');
--|  jsonb_path_query
--| ------------------
--|  2
--|  2
--| (2 rows)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**');
--|     jsonb_path_query
--| ------------------------
--|  {"a": {"c": {"b": 1}}}
--|  {"c": {"b": 1}}
--|  {"b": 1}
--|  1
--| (4 rows)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{0}');
--|     jsonb_path_query
--| ------------------------
--|  {"a": {"c": {"b": 1}}}
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{1}');
--|  jsonb_path_query
--| ------------------
--|  {"c": {"b": 1}}
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{1 to last}');
--|  jsonb_path_query
--| ------------------
--|  {"c": {"b": 1}}
--|  {"b": 1}
--|  1
--| (3 rows)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{2}');
--|  jsonb_path_query
--| ------------------
--|  {"b": 1}
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{3 to last}');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{last}');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**.b ? (@ > 0)');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{0}.b ? (@ > 0)');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{1 to 2}.b ? (@ > 0)');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{2 to 3}.b ? (@ > 0)');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', 'strict $.**.b');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', 'strict $.**{1 to 2}.b');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('{"a": {"c": {"b": 1}}}', '$.**{2 to 1}');
--|  jsonb_path_query
--| ------------------
--| (0 rows)

-- Variables.
select * from jsonb_path_query('{"a": 10}', '$ ? (@.a < $value)');
--| ERROR:  42704: could not find jsonpath variable "value"
select * from jsonb_path_query('{"a": 10}', '$ ? (@.a < $value)', '1');
--| ERROR:  22023: "vars" argument is not an object
--| DETAIL:  Jsonpath parameters should be encoded as key-value pairs of "vars" object.
select * from jsonb_path_query('{"a": 10}', '$ ? (@.a < $value)', '[{"value" : 13}]');
--| ERROR:  22023: "vars" argument is not an object
--| DETAIL:  Jsonpath parameters should be encoded as key-value pairs of "vars" object.
select * from jsonb_path_query('{"a": 10}', '$ ? (@.a < $value)', '{"value" : 13}');
--|  jsonb_path_query
--| ------------------
--|  {"a": 10}
--| (1 row)
select * from jsonb_path_query('{"a": 10}', '$ ? (@.a < $value)', '{"value" : 8}');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select * from jsonb_path_query('{"a": 10}', '$ ? (@.a < $value)', '{"value" : null}');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select * from jsonb_path_query('{"a": 10}', '$ ? (@.a < $value)', '{"x" : 8}');
--| ERROR:  42704: could not find jsonpath variable "value"
select * from jsonb_path_query('[10,11,12,13,14,15]', '$[0,1] ? (@ < $x.value)', '{"x": {"value" : 13}}');
--|  jsonb_path_query
--| ------------------
--|  10
--|  11
--| (2 rows)
select * from jsonb_path_query('[1,"1",2,"2",null]', '$[*] ? (@ == $value)', '{"value" : "1"}');
--|  jsonb_path_query
--| ------------------
--|  "1"
--| (1 row)
select * from jsonb_path_query('[1,"1",2,"2",null]', '$[*] ? (@ == $value)', vars => '{"value" : null}');
--|  jsonb_path_query
--| ------------------
--|  null
--| (1 row)
select jsonb_path_query_array('[1]', '$"a b"', '{"a b": [1,{"c":2}]}'), jsonb_path_query_first('[1,2]', '$[*] ? (@ > $m)', '{"m":1}');
--|  jsonb_path_query_array | jsonb_path_query_first
--| ------------------------+------------------------
--|  [[1, {"c": 2}]]        | 2
--| (1 row)
select jsonb_path_query('1', '$x', silent => true);
--| ERROR:  42704: could not find jsonpath variable "x"

-- Predicates.
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? (@ != null)');
--|  jsonb_path_query
--| ------------------
--|  1
--|  "2"
--|  true
--|  1
--|  {}
--| (5 rows)
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? (@ == null)');
--|  jsonb_path_query
--| ------------------
--|  null
--| (1 row)
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? (@ < 2)');
--|  jsonb_path_query
--| ------------------
--|  1
--|  1
--| (2 rows)
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? (@ <> 1)');
--|  jsonb_path_query
--| ------------------
--|  null
--| (1 row)
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? ((@ < 2) is unknown)');
--|  jsonb_path_query
--| ------------------
--|  "2"
--|  true
--|  {}
--| (3 rows)
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? (!(@ < 2))');
--|  jsonb_path_query
--| ------------------
--|  null
--| (1 row)
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? (@ == true || @ == "2")');
--|  jsonb_path_query
--| ------------------
--|  "2"
--|  true
--| (2 rows)
select jsonb_path_query('[1, "2", null, true, [1], {}]', '$[*] ? (@ > "1" && @ < "3")');
--|  jsonb_path_query
--| ------------------
--|  "2"
--| (1 row)
select jsonb_path_query('{}', '$ ? (@ == @)');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[]', 'strict $ ? (@ == @)');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', '$.g ? (exists (@.x))');
--|  jsonb_path_query
--| ------------------
--|  {"x": 2}
--| (1 row)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', '$.g ? (exists (@.y))');
--|  jsonb_path_query
--| ------------------
--|  {"y": 3}
--| (1 row)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', '$.g ? (exists (@.x ? (@ >= 2) ))');
--|  jsonb_path_query
--| ------------------
--|  {"x": 2}
--| (1 row)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', 'lax $.g ? (exists (@.x + "3"))');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', 'lax $.g ? ((exists (@.x + "3")) is unknown)');
--|  jsonb_path_query
--| ------------------
--|  {"x": 2}
--|  {"y": 3}
--| (2 rows)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', 'strict $.g[*] ? (exists (@.x))');
--|  jsonb_path_query
--| ------------------
--|  {"x": 2}
--| (1 row)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', 'strict $.g[*] ? ((exists (@.x)) is unknown)');
--|  jsonb_path_query
--| ------------------
--|  {"y": 3}
--| (1 row)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', 'strict $.g ? (exists (@[*].x))');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{"g": [{"x": 2}, {"y": 3}]}', 'strict $.g ? ((exists (@[*].x)) is unknown)');
--|    jsonb_path_query
--| ----------------------
--|  [{"x": 2}, {"y": 3}]
--| (1 row)
select x, y, jsonb_path_query('[true, false, null]', '$[*] ? (@ == true  &&  ($x == true && $y == true) || @ == false && !($x == true && $y == true) || @ == null  &&  ($x == true && $y == true) is unknown)', jsonb_build_object('x', x, 'y', y)) as r
from (values (jsonb 'true'), ('false'), ('"null"')) x(x), (values (jsonb 'true'), ('false'), ('"null"')) y(y);
--|    x    |   y    |   r
--| --------+--------+-------
--|  true   | true   | true
--|  true   | false  | false
--|  true   | "null" | null
--|  false  | true   | false
--|  false  | false  | false
--|  false  | "null" | false
--|  "null" | true   | null
--|  "null" | false  | false
--|  "null" | "null" | null
--| (9 rows)
select x, y, jsonb_path_query('[true, false, null]', '$[*] ? (@ == true  &&  ($x == true || $y == true) || @ == false && !($x == true || $y == true) || @ == null  &&  ($x == true || $y == true) is unknown)', jsonb_build_object('x', x, 'y', y)) as r
from (values (jsonb 'true'), ('false'), ('"null"')) x(x), (values (jsonb 'true'), ('false'), ('"null"')) y(y);
--|    x    |   y    |   r
--| --------+--------+-------
--|  true   | true   | true
--|  true   | false  | true
--|  true   | "null" | true
--|  false  | true   | true
--|  false  | false  | false
--|  false  | "null" | null
--|  "null" | true   | true
--|  "null" | false  | null
--|  "null" | "null" | null
--| (9 rows)
select jsonb_path_query('["", "a", "abc", "abcabc", null, 1]', '$[*] ? (@ starts with "abc")', '{"x":"ab"}');
--|  jsonb_path_query
--| ------------------
--|  "abc"
--|  "abcabc"
--| (2 rows)
select jsonb_path_query('["", "a", "abc", "abcabc", null, 1]', 'strict $ ? (@[*] starts with "abc")', '{"x":"ab"}');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('["", "a", "abc", "abcabc", null, 1]', 'strict $ ? ((@[*] starts with "abc") is unknown)', '{"x":"ab"}');
--|           jsonb_path_query
--| -------------------------------------
--|  ["", "a", "abc", "abcabc", null, 1]
--| (1 row)
select jsonb_path_query('["", "a", "abc", "abcabc", null, 1]', 'lax $[*] ? ((@ starts with "abc") is unknown)', '{"x":"ab"}');
--|  jsonb_path_query
--| ------------------
--|  null
--|  1
--| (2 rows)
select jsonb_path_query('["", "a", "abc", "abcabc", null, 1]', '$[*] ? (@ starts with $x)', '{"x":"ab"}');
--|  jsonb_path_query
--| ------------------
--|  "abc"
--|  "abcabc"
--| (2 rows)
select jsonb_path_query('[null, 1, "abc", "abd", "aBdC", "abdacb", "babc", "adc\nabc", "ab\nadc"]', 'lax $[*] ? (@ like_regex "^ab.*c")');
--|  jsonb_path_query
--| ------------------
--|  "abc"
--|  "abdacb"
--| (2 rows)
select jsonb_path_query('[null, 1, "abc", "abd", "aBdC", "abdacb", "babc", "adc\nabc", "ab\nadc"]', 'lax $[*] ? (@ like_regex "^ab.*c" flag "i")');
--|  jsonb_path_query
--| ------------------
--|  "abc"
--|  "aBdC"
--|  "abdacb"
--| (3 rows)
select jsonb_path_query('[null, 1, "abc", "abd", "aBdC", "abdacb", "babc", "adc\nabc", "ab\nadc"]', 'lax $[*] ? (@ like_regex "^ab.*c" flag "m")');
--|  jsonb_path_query
--| ------------------
--|  "abc"
--|  "abdacb"
--|  "adc\nabc"
--| (3 rows)
select jsonb_path_query('[null, 1, "abc", "abd", "aBdC", "abdacb", "babc", "adc\nabc", "ab\nadc"]', 'lax $[*] ? (@ like_regex "^ab.*c" flag "s")');
--|  jsonb_path_query
--| ------------------
--|  "abc"
--|  "abdacb"
--|  "ab\nadc"
--| (3 rows)
select jsonb_path_query('[null, 1, "abc", "abd", "aBdC", "abdacb", "babc", "adc\nabc", "ab\nadc"]', 'lax $[*] ? (@ like_regex "^ab.*c" flag "sm")');
--|  jsonb_path_query
--| ------------------
--|  "abc"
--|  "abdacb"
--|  "adc\nabc"
--|  "ab\nadc"
--| (4 rows)
select jsonb_path_query('[null, 1, "a\b", "a\\b", "^a\\b$"]', 'lax $[*] ? (@ like_regex "a\\b" flag "q")');
--|  jsonb_path_query
--| ------------------
--|  "a\\b"
--|  "^a\\b$"
--| (2 rows)
select jsonb_path_query('[null, 1, "a\b", "a\\b", "^a\\b$"]', 'lax $[*] ? (@ like_regex "a\\b" flag "")');
--|  jsonb_path_query
--| ------------------
--|  "a\b"
--| (1 row)
select jsonb_path_query('[null, 1, "a\b", "a\\b", "^a\\b$"]', 'lax $[*] ? (@ like_regex "^a\\b$" flag "q")');
--|  jsonb_path_query
--| ------------------
--|  "^a\\b$"
--| (1 row)
select jsonb_path_query('[null, 1, "a\b", "a\\b", "^a\\b$"]', 'lax $[*] ? (@ like_regex "^a\\B$" flag "q")');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[null, 1, "a\b", "a\\b", "^a\\b$"]', 'lax $[*] ? (@ like_regex "^a\\B$" flag "iq")');
--|  jsonb_path_query
--| ------------------
--|  "^a\\b$"
--| (1 row)
select jsonb_path_query('[null, 1, "a\b", "a\\b", "^a\\b$"]', 'lax $[*] ? (@ like_regex "^a\\b$" flag "")');
--|  jsonb_path_query
--| ------------------
--|  "a\b"
--| (1 row)

-- Arithmetic.
select jsonb_path_query('[1,2,0,3]', '$[*] ? (2 / @ > 0)');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--|  3
--| (3 rows)
select jsonb_path_query('[1,2,0,3]', '$[*] ? ((2 / @ > 0) is unknown)');
--|  jsonb_path_query
--| ------------------
--|  0
--| (1 row)
select jsonb_path_query('0', '1 / $');
--| ERROR:  22012: division by zero
select jsonb_path_query('0', '1 / $ + 2');
--| ERROR:  22012: division by zero
select jsonb_path_query('0', '-(3 + 1 % $)');
--| ERROR:  22012: division by zero
select jsonb_path_query('1', '$ + "2"');
--| ERROR:  22038: right operand of jsonpath operator + is not a single numeric value
select jsonb_path_query('[1, 2]', '3 * $');
--| ERROR:  22038: right operand of jsonpath operator * is not a single numeric value
select jsonb_path_query('"a"', '-$');
--| ERROR:  2203B: operand of unary jsonpath operator - is not a numeric value
select jsonb_path_query('[1,"2",3]', '+$');
--| ERROR:  2203B: operand of unary jsonpath operator + is not a numeric value
select jsonb_path_query('{"a": [2]}', 'lax $.a * 3');
--|  jsonb_path_query
--| ------------------
--|  6
--| (1 row)
select jsonb_path_query('{"a": [2]}', 'strict $.a * 3');
--| ERROR:  22038: left operand of jsonpath operator * is not a single numeric value
select jsonb_path_query('{"a": [2, 3, 4]}', 'lax -$.a');
--|  jsonb_path_query
--| ------------------
--|  -2
--|  -3
--|  -4
--| (3 rows)
select jsonb_path_query('{"a": [1, 2]}', 'lax $.a * 3');
--| ERROR:  22038: left operand of jsonpath operator * is not a single numeric value
select jsonb_path_query('{"a": 2}', '($.a - 5).abs() + 10');
--|  jsonb_path_query
--| ------------------
--|  13
--| (1 row)
select jsonb_path_query('{"a": 2.5}', '-($.a * $.a).floor() % 4.3');
--|  jsonb_path_query
--| ------------------
--|  -1.7
--| (1 row)
select jsonb_path_query('[1, 2, 3]', '($[*] > 2) ? (@ == true)');
--|  jsonb_path_query
--| ------------------
--|  true
--| (1 row)
select jsonb_path_query('[1, 2, 3]', '($[*] > 3).type()');
--|  jsonb_path_query
--| ------------------
--|  "boolean"
--| (1 row)
select jsonb_path_query('[1, 2, 3]', '($[*].a > 3).type()');
--|  jsonb_path_query
--| ------------------
--|  "boolean"
--| (1 row)
select jsonb_path_query('[1, 2, 3]', 'strict ($[*].a > 3).type()');
--|  jsonb_path_query
--| ------------------
--|  "null"
--| (1 row)
select jsonb_path_query('2', '$ > 1');
--|  jsonb_path_query
--| ------------------
--|  true
--| (1 row)
select jsonb_path_query('2', '$ == "2"');
--|  jsonb_path_query
--| ------------------
--|  null
--| (1 row)
select jsonb_path_query('1', '10 / 3');
--|   jsonb_path_query
--| --------------------
--|  3.3333333333333333
--| (1 row)
select jsonb_path_query('1', '1.50 + 1.5');
--|  jsonb_path_query
--| ------------------
--|  3.00
--| (1 row)
select jsonb_path_query('1', '2 * 3 - 7 % 4 / 2');
--|   jsonb_path_query
--| --------------------
--|  4.5000000000000000
--| (1 row)
select jsonb_path_query('1', '12345678901234567890 * 98765432109876543210');
--|              jsonb_path_query
--| ------------------------------------------
--|  1219326311370217952237463801111263526900
--| (1 row)
select jsonb_path_query('1', '$ + "2"', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[1, 2]', '3 * $', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('"a"', '-$', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[1,"2",3]', '+$', silent => true);
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('0', '1 / $', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)

-- Methods.
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$.type()');
--|  jsonb_path_query
--| ------------------
--|  "array"
--| (1 row)
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$[*].type()');
--|  jsonb_path_query
--| ------------------
--|  "null"
--|  "number"
--|  "boolean"
--|  "string"
--|  "array"
--|  "array"
--|  "array"
--|  "object"
--|  "object"
--| (9 rows)
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', 'strict $[*].size()');
--| ERROR:  22039: jsonpath item method .size() can only be applied to an array
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', 'lax $[*].size()');
--|  jsonb_path_query
--| ------------------
--|  1
--|  1
--|  1
--|  1
--|  0
--|  1
--|  3
--|  1
--|  1
--| (9 rows)
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$.size()');
--|  jsonb_path_query
--| ------------------
--|  9
--| (1 row)
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', 'lax $[*].keyvalue()');
--| ERROR:  2203C: jsonpath item method .keyvalue() can only be applied to an object
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$[*].abs()');
--| ERROR:  22036: jsonpath item method .abs() can only be applied to a numeric value
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$[*].double()');
--| ERROR:  22036: jsonpath item method .double() can only be applied to a string or numeric value
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$[*].boolean()');
--| ERROR:  22036: jsonpath item method .boolean() can only be applied to a boolean, string, or numeric value
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$[*].string()');
--| ERROR:  22036: jsonpath item method .string() can only be applied to a boolean, string, numeric, or datetime value
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', 'strict $[*].size()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$[*].keyvalue()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('[null,1,true,"11",[],[1],[1,2,3],{},{"a":1,"b":2}]', '$[*].double()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_array('[0, 1, -2, -3.4, 5.6]', '$[*].abs()');
--|  jsonb_path_query_array
--| ------------------------
--|  [0, 1, 2, 3.4, 5.6]
--| (1 row)
select jsonb_path_query_array('[0, 1, -2, -3.4, 5.6]', '$[*].floor()');
--|  jsonb_path_query_array
--| ------------------------
--|  [0, 1, -2, -4, 5]
--| (1 row)
select jsonb_path_query_array('[0, 1, -2, -3.4, 5.6]', '$[*].ceiling()');
--|  jsonb_path_query_array
--| ------------------------
--|  [0, 1, -2, -3, 6]
--| (1 row)
select jsonb_path_query('{}', '$.keyvalue()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_array('{"a": 1, "b": [1, 2]}', '$.keyvalue()');
--|                            jsonb_path_query_array
--| -----------------------------------------------------------------------------
--|  [{"id": 0, "key": "a", "value": 1}, {"id": 0, "key": "b", "value": [1, 2]}]
--| (1 row)
select jsonb_path_query('[{"a": 1}, {"c": {"a": "bbb"}}]', 'strict $.keyvalue()');
--| ERROR:  2203C: jsonpath item method .keyvalue() can only be applied to an object
select jsonb_path_query('[{"a": 1}, {"c": {"a": "bbb"}}]', 'strict $.keyvalue().a');
--| ERROR:  2203C: jsonpath item method .keyvalue() can only be applied to an object
select jsonb_path_query('[{"a": 1}, {"c": {"a": "bbb"}}]', '$.keyvalue().key');
--|  jsonb_path_query
--| ------------------
--|  "a"
--|  "c"
--| (2 rows)
select jsonb_path_query('{"a": 1}', '$.keyvalue().keyvalue().value');
--|  jsonb_path_query
--| ------------------
--|  0
--|  "a"
--|  1
--| (3 rows)
select jsonb_path_query('null', '$.double()');
--| ERROR:  22036: jsonpath item method .double() can only be applied to a string or numeric value
select jsonb_path_query('true', '$.double()');
--| ERROR:  22036: jsonpath item method .double() can only be applied to a string or numeric value
select jsonb_path_query('[]', '$.double()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.double()');
--| ERROR:  22036: jsonpath item method .double() can only be applied to a string or numeric value
select jsonb_path_query('1.23', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  1.23
--| (1 row)
select jsonb_path_query('"1.23"', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  1.23
--| (1 row)
select jsonb_path_query('"1.23aaa"', '$.double()');
--| ERROR:  22036: argument "1.23aaa" of jsonpath item method .double() is invalid for type double precision
select jsonb_path_query('1e1000', '$.double()');
--| ERROR:  22036: argument "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" of jsonpath item method .double() is invalid for type double precision
select jsonb_path_query('"nan"', '$.double()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .double()
select jsonb_path_query('"inf"', '$.double()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .double()
select jsonb_path_query('"-inf"', '$.double()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .double()
select jsonb_path_query('123', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('"+123"', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('-123', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  -123
--| (1 row)
select jsonb_path_query('1.83', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  1.83
--| (1 row)
select jsonb_path_query('12345678901234567890', '$.double()');
--|    jsonb_path_query
--| ----------------------
--|  12345678901234567890
--| (1 row)
select jsonb_path_query('"12345678901"', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  12345678901
--| (1 row)
select jsonb_path_query(' " 5 "', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  5
--| (1 row)
select jsonb_path_query('"yes"', '$.double()');
--| ERROR:  22036: argument "yes" of jsonpath item method .double() is invalid for type double precision
select jsonb_path_query('"F"', '$.double()');
--| ERROR:  22036: argument "F" of jsonpath item method .double() is invalid for type double precision
select jsonb_path_query('"off "', '$.double()');
--| ERROR:  22036: argument "off " of jsonpath item method .double() is invalid for type double precision
select jsonb_path_query('0', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  0
--| (1 row)
select jsonb_path_query('[1, "2"]', '$.double()');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--| (2 rows)
select jsonb_path_query('[]', 'strict $.double()');
--| ERROR:  22036: jsonpath item method .double() can only be applied to a string or numeric value
select jsonb_path_query('{}', '$.double()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.bigint()');
--| ERROR:  22036: jsonpath item method .bigint() can only be applied to a string or numeric value
select jsonb_path_query('true', '$.bigint()');
--| ERROR:  22036: jsonpath item method .bigint() can only be applied to a string or numeric value
select jsonb_path_query('[]', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.bigint()');
--| ERROR:  22036: jsonpath item method .bigint() can only be applied to a string or numeric value
select jsonb_path_query('1.23', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('"1.23"', '$.bigint()');
--| ERROR:  22036: argument "1.23" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('"1.23aaa"', '$.bigint()');
--| ERROR:  22036: argument "1.23aaa" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('1e1000', '$.bigint()');
--| ERROR:  22036: argument "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('"nan"', '$.bigint()');
--| ERROR:  22036: argument "nan" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('"inf"', '$.bigint()');
--| ERROR:  22036: argument "inf" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('"-inf"', '$.bigint()');
--| ERROR:  22036: argument "-inf" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('123', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('"+123"', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('-123', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  -123
--| (1 row)
select jsonb_path_query('1.83', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  2
--| (1 row)
select jsonb_path_query('12345678901234567890', '$.bigint()');
--| ERROR:  22036: argument "12345678901234567890" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('"12345678901"', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  12345678901
--| (1 row)
select jsonb_path_query(' " 5 "', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  5
--| (1 row)
select jsonb_path_query('"yes"', '$.bigint()');
--| ERROR:  22036: argument "yes" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('"F"', '$.bigint()');
--| ERROR:  22036: argument "F" of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('"off "', '$.bigint()');
--| ERROR:  22036: argument "off " of jsonpath item method .bigint() is invalid for type bigint
select jsonb_path_query('0', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  0
--| (1 row)
select jsonb_path_query('[1, "2"]', '$.bigint()');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--| (2 rows)
select jsonb_path_query('[]', 'strict $.bigint()');
--| ERROR:  22036: jsonpath item method .bigint() can only be applied to a string or numeric value
select jsonb_path_query('{}', '$.bigint()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.boolean()');
--| ERROR:  22036: jsonpath item method .boolean() can only be applied to a boolean, string, or numeric value
select jsonb_path_query('true', '$.boolean()');
--|  jsonb_path_query
--| ------------------
--|  true
--| (1 row)
select jsonb_path_query('[]', '$.boolean()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.boolean()');
--| ERROR:  22036: jsonpath item method .boolean() can only be applied to a boolean, string, or numeric value
select jsonb_path_query('1.23', '$.boolean()');
--| ERROR:  22036: argument "1.23" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('"1.23"', '$.boolean()');
--| ERROR:  22036: argument "1.23" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('"1.23aaa"', '$.boolean()');
--| ERROR:  22036: argument "1.23aaa" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('1e1000', '$.boolean()');
--| ERROR:  22036: argument "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('"nan"', '$.boolean()');
--| ERROR:  22036: argument "nan" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('"inf"', '$.boolean()');
--| ERROR:  22036: argument "inf" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('"-inf"', '$.boolean()');
--| ERROR:  22036: argument "-inf" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('123', '$.boolean()');
--|  jsonb_path_query
--| ------------------
--|  true
--| (1 row)
select jsonb_path_query('"+123"', '$.boolean()');
--| ERROR:  22036: argument "+123" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('-123', '$.boolean()');
--|  jsonb_path_query
--| ------------------
--|  true
--| (1 row)
select jsonb_path_query('1.83', '$.boolean()');
--| ERROR:  22036: argument "1.83" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('12345678901234567890', '$.boolean()');
--| ERROR:  22036: argument "12345678901234567890" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('"12345678901"', '$.boolean()');
--| ERROR:  22036: argument "12345678901" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query(' " 5 "', '$.boolean()');
--| ERROR:  22036: argument " 5 " of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('"yes"', '$.boolean()');
--|  jsonb_path_query
--| ------------------
--|  true
--| (1 row)
select jsonb_path_query('"F"', '$.boolean()');
--|  jsonb_path_query
--| ------------------
--|  false
--| (1 row)
select jsonb_path_query('"off "', '$.boolean()');
--| ERROR:  22036: argument "off " of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('0', '$.boolean()');
--|  jsonb_path_query
--| ------------------
--|  false
--| (1 row)
select jsonb_path_query('[1, "2"]', '$.boolean()');
--| ERROR:  22036: argument "2" of jsonpath item method .boolean() is invalid for type boolean
select jsonb_path_query('[]', 'strict $.boolean()');
--| ERROR:  22036: jsonpath item method .boolean() can only be applied to a boolean, string, or numeric value
select jsonb_path_query('{}', '$.boolean()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.decimal()');
--| ERROR:  22036: jsonpath item method .decimal() can only be applied to a string or numeric value
select jsonb_path_query('true', '$.decimal()');
--| ERROR:  22036: jsonpath item method .decimal() can only be applied to a string or numeric value
select jsonb_path_query('[]', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.decimal()');
--| ERROR:  22036: jsonpath item method .decimal() can only be applied to a string or numeric value
select jsonb_path_query('1.23', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  1.23
--| (1 row)
select jsonb_path_query('"1.23"', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  1.23
--| (1 row)
select jsonb_path_query('"1.23aaa"', '$.decimal()');
--| ERROR:  22036: argument "1.23aaa" of jsonpath item method .decimal() is invalid for type numeric
select jsonb_path_query('1e1000', '$.decimal()');
--|                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              jsonb_path_query
--| -------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
--| (1 row)
select jsonb_path_query('"nan"', '$.decimal()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .decimal()
select jsonb_path_query('"inf"', '$.decimal()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .decimal()
select jsonb_path_query('"-inf"', '$.decimal()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .decimal()
select jsonb_path_query('123', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('"+123"', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('-123', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  -123
--| (1 row)
select jsonb_path_query('1.83', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  1.83
--| (1 row)
select jsonb_path_query('12345678901234567890', '$.decimal()');
--|    jsonb_path_query
--| ----------------------
--|  12345678901234567890
--| (1 row)
select jsonb_path_query('"12345678901"', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  12345678901
--| (1 row)
select jsonb_path_query(' " 5 "', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  5
--| (1 row)
select jsonb_path_query('"yes"', '$.decimal()');
--| ERROR:  22036: argument "yes" of jsonpath item method .decimal() is invalid for type numeric
select jsonb_path_query('"F"', '$.decimal()');
--| ERROR:  22036: argument "F" of jsonpath item method .decimal() is invalid for type numeric
select jsonb_path_query('"off "', '$.decimal()');
--| ERROR:  22036: argument "off " of jsonpath item method .decimal() is invalid for type numeric
select jsonb_path_query('0', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  0
--| (1 row)
select jsonb_path_query('[1, "2"]', '$.decimal()');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--| (2 rows)
select jsonb_path_query('[]', 'strict $.decimal()');
--| ERROR:  22036: jsonpath item method .decimal() can only be applied to a string or numeric value
select jsonb_path_query('{}', '$.decimal()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.integer()');
--| ERROR:  22036: jsonpath item method .integer() can only be applied to a string or numeric value
select jsonb_path_query('true', '$.integer()');
--| ERROR:  22036: jsonpath item method .integer() can only be applied to a string or numeric value
select jsonb_path_query('[]', '$.integer()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.integer()');
--| ERROR:  22036: jsonpath item method .integer() can only be applied to a string or numeric value
select jsonb_path_query('1.23', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  1
--| (1 row)
select jsonb_path_query('"1.23"', '$.integer()');
--| ERROR:  22036: argument "1.23" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('"1.23aaa"', '$.integer()');
--| ERROR:  22036: argument "1.23aaa" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('1e1000', '$.integer()');
--| ERROR:  22036: argument "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('"nan"', '$.integer()');
--| ERROR:  22036: argument "nan" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('"inf"', '$.integer()');
--| ERROR:  22036: argument "inf" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('"-inf"', '$.integer()');
--| ERROR:  22036: argument "-inf" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('123', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('"+123"', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('-123', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  -123
--| (1 row)
select jsonb_path_query('1.83', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  2
--| (1 row)
select jsonb_path_query('12345678901234567890', '$.integer()');
--| ERROR:  22036: argument "12345678901234567890" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('"12345678901"', '$.integer()');
--| ERROR:  22036: argument "12345678901" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query(' " 5 "', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  5
--| (1 row)
select jsonb_path_query('"yes"', '$.integer()');
--| ERROR:  22036: argument "yes" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('"F"', '$.integer()');
--| ERROR:  22036: argument "F" of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('"off "', '$.integer()');
--| ERROR:  22036: argument "off " of jsonpath item method .integer() is invalid for type integer
select jsonb_path_query('0', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  0
--| (1 row)
select jsonb_path_query('[1, "2"]', '$.integer()');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--| (2 rows)
select jsonb_path_query('[]', 'strict $.integer()');
--| ERROR:  22036: jsonpath item method .integer() can only be applied to a string or numeric value
select jsonb_path_query('{}', '$.integer()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.number()');
--| ERROR:  22036: jsonpath item method .number() can only be applied to a string or numeric value
select jsonb_path_query('true', '$.number()');
--| ERROR:  22036: jsonpath item method .number() can only be applied to a string or numeric value
select jsonb_path_query('[]', '$.number()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.number()');
--| ERROR:  22036: jsonpath item method .number() can only be applied to a string or numeric value
select jsonb_path_query('1.23', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  1.23
--| (1 row)
select jsonb_path_query('"1.23"', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  1.23
--| (1 row)
select jsonb_path_query('"1.23aaa"', '$.number()');
--| ERROR:  22036: argument "1.23aaa" of jsonpath item method .number() is invalid for type numeric
select jsonb_path_query('1e1000', '$.number()');
--|                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              jsonb_path_query
--| -------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------
--|  10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
--| (1 row)
select jsonb_path_query('"nan"', '$.number()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .number()
select jsonb_path_query('"inf"', '$.number()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .number()
select jsonb_path_query('"-inf"', '$.number()');
--| ERROR:  22036: NaN or Infinity is not allowed for jsonpath item method .number()
select jsonb_path_query('123', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('"+123"', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  123
--| (1 row)
select jsonb_path_query('-123', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  -123
--| (1 row)
select jsonb_path_query('1.83', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  1.83
--| (1 row)
select jsonb_path_query('12345678901234567890', '$.number()');
--|    jsonb_path_query
--| ----------------------
--|  12345678901234567890
--| (1 row)
select jsonb_path_query('"12345678901"', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  12345678901
--| (1 row)
select jsonb_path_query(' " 5 "', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  5
--| (1 row)
select jsonb_path_query('"yes"', '$.number()');
--| ERROR:  22036: argument "yes" of jsonpath item method .number() is invalid for type numeric
select jsonb_path_query('"F"', '$.number()');
--| ERROR:  22036: argument "F" of jsonpath item method .number() is invalid for type numeric
select jsonb_path_query('"off "', '$.number()');
--| ERROR:  22036: argument "off " of jsonpath item method .number() is invalid for type numeric
select jsonb_path_query('0', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  0
--| (1 row)
select jsonb_path_query('[1, "2"]', '$.number()');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--| (2 rows)
select jsonb_path_query('[]', 'strict $.number()');
--| ERROR:  22036: jsonpath item method .number() can only be applied to a string or numeric value
select jsonb_path_query('{}', '$.number()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.string()');
--| ERROR:  22036: jsonpath item method .string() can only be applied to a boolean, string, numeric, or datetime value
select jsonb_path_query('true', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "true"
--| (1 row)
select jsonb_path_query('[]', '$.string()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.string()');
--| ERROR:  22036: jsonpath item method .string() can only be applied to a boolean, string, numeric, or datetime value
select jsonb_path_query('1.23', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "1.23"
--| (1 row)
select jsonb_path_query('"1.23"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "1.23"
--| (1 row)
select jsonb_path_query('"1.23aaa"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "1.23aaa"
--| (1 row)
select jsonb_path_query('"nan"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "nan"
--| (1 row)
select jsonb_path_query('"inf"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "inf"
--| (1 row)
select jsonb_path_query('"-inf"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "-inf"
--| (1 row)
select jsonb_path_query('123', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "123"
--| (1 row)
select jsonb_path_query('"+123"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "+123"
--| (1 row)
select jsonb_path_query('-123', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "-123"
--| (1 row)
select jsonb_path_query('1.83', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "1.83"
--| (1 row)
select jsonb_path_query('12345678901234567890', '$.string()');
--|     jsonb_path_query
--| ------------------------
--|  "12345678901234567890"
--| (1 row)
select jsonb_path_query('"12345678901"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "12345678901"
--| (1 row)
select jsonb_path_query(' " 5 "', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  " 5 "
--| (1 row)
select jsonb_path_query('"yes"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "yes"
--| (1 row)
select jsonb_path_query('"F"', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "F"
--| (1 row)
select jsonb_path_query('"off "', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "off "
--| (1 row)
select jsonb_path_query('0', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "0"
--| (1 row)
select jsonb_path_query('[1, "2"]', '$.string()');
--|  jsonb_path_query
--| ------------------
--|  "1"
--|  "2"
--| (2 rows)
select jsonb_path_query('[]', 'strict $.string()');
--| ERROR:  22036: jsonpath item method .string() can only be applied to a boolean, string, numeric, or datetime value
select jsonb_path_query('{}', '$.string()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('true', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('[]', '$.date()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('1.23', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('"1.23"', '$.date()');
--| ERROR:  22031: date format is not recognized: "1.23"
select jsonb_path_query('"1.23aaa"', '$.date()');
--| ERROR:  22031: date format is not recognized: "1.23aaa"
select jsonb_path_query('1e1000', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('"nan"', '$.date()');
--| ERROR:  22031: date format is not recognized: "nan"
select jsonb_path_query('"inf"', '$.date()');
--| ERROR:  22031: date format is not recognized: "inf"
select jsonb_path_query('"-inf"', '$.date()');
--| ERROR:  22031: date format is not recognized: "-inf"
select jsonb_path_query('123', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('"+123"', '$.date()');
--| ERROR:  22031: date format is not recognized: "+123"
select jsonb_path_query('-123', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('1.83', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('12345678901234567890', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('"12345678901"', '$.date()');
--| ERROR:  22031: date format is not recognized: "12345678901"
select jsonb_path_query(' " 5 "', '$.date()');
--| ERROR:  22031: date format is not recognized: " 5 "
select jsonb_path_query('"yes"', '$.date()');
--| ERROR:  22031: date format is not recognized: "yes"
select jsonb_path_query('"F"', '$.date()');
--| ERROR:  22031: date format is not recognized: "F"
select jsonb_path_query('"off "', '$.date()');
--| ERROR:  22031: date format is not recognized: "off "
select jsonb_path_query('0', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('[1, "2"]', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('[]', 'strict $.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('{}', '$.date()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('null', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('true', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('[]', '$.time()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('{}', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('1.23', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('"1.23"', '$.time()');
--| ERROR:  22031: time format is not recognized: "1.23"
select jsonb_path_query('"1.23aaa"', '$.time()');
--| ERROR:  22031: time format is not recognized: "1.23aaa"
select jsonb_path_query('1e1000', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('"nan"', '$.time()');
--| ERROR:  22031: time format is not recognized: "nan"
select jsonb_path_query('"inf"', '$.time()');
--| ERROR:  22031: time format is not recognized: "inf"
select jsonb_path_query('"-inf"', '$.time()');
--| ERROR:  22031: time format is not recognized: "-inf"
select jsonb_path_query('123', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('"+123"', '$.time()');
--| ERROR:  22031: time format is not recognized: "+123"
select jsonb_path_query('-123', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('1.83', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('12345678901234567890', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('"12345678901"', '$.time()');
--| ERROR:  22031: time format is not recognized: "12345678901"
select jsonb_path_query(' " 5 "', '$.time()');
--| ERROR:  22031: time format is not recognized: " 5 "
select jsonb_path_query('"yes"', '$.time()');
--| ERROR:  22031: time format is not recognized: "yes"
select jsonb_path_query('"F"', '$.time()');
--| ERROR:  22031: time format is not recognized: "F"
select jsonb_path_query('"off "', '$.time()');
--| ERROR:  22031: time format is not recognized: "off "
select jsonb_path_query('0', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('[1, "2"]', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('[]', 'strict $.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('{}', '$.time()', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('1234.5678', '$.decimal(6, 1)');
--|  jsonb_path_query
--| ------------------
--|  1234.6
--| (1 row)
select jsonb_path_query('1234.5678', '$.decimal(6, 2)');
--|  jsonb_path_query
--| ------------------
--|  1234.57
--| (1 row)
select jsonb_path_query('1234.5678', '$.decimal(4, 6)');
--| ERROR:  22036: argument "1234.5678" of jsonpath item method .decimal() is invalid for type numeric
select jsonb_path_query('1234.5678', '$.decimal(0, 6)');
--| ERROR:  22023: NUMERIC precision 0 must be between 1 and 1000
select jsonb_path_query('1234.5678', '$.decimal(1001, 6)');
--| ERROR:  22023: NUMERIC precision 1001 must be between 1 and 1000
select jsonb_path_query('1234.5678', '$.decimal(+6, +2)');
--|  jsonb_path_query
--| ------------------
--|  1234.57
--| (1 row)
select jsonb_path_query('1234.5678', '$.decimal(+6, -2)');
--|  jsonb_path_query
--| ------------------
--|  1200
--| (1 row)
select jsonb_path_query('1234.5678', '$.decimal(-6, +2)');
--| ERROR:  22023: NUMERIC precision -6 must be between 1 and 1000
select jsonb_path_query('1234.5678', '$.decimal(6, -1001)');
--| ERROR:  22023: NUMERIC scale -1001 must be between -1000 and 1000
select jsonb_path_query('1234.5678', '$.decimal(6)');
--|  jsonb_path_query
--| ------------------
--|  1235
--| (1 row)
select jsonb_path_query('1234.5678', '$.decimal(2)');
--| ERROR:  22036: argument "1234.5678" of jsonpath item method .decimal() is invalid for type numeric
select jsonb_path_query('1234.5678', '$.decimal(12345678901,1)');
--| ERROR:  22036: precision of jsonpath item method .decimal() is out of range for type integer
select jsonb_path_query('1234.5678', '$.decimal(1,12345678901)');
--| ERROR:  22036: scale of jsonpath item method .decimal() is out of range for type integer
select jsonb_path_query('"1e3"', '$.decimal(5,1)');
--|  jsonb_path_query
--| ------------------
--|  1000.0
--| (1 row)
select jsonb_path_query('0.0123456', '$.decimal(1,2)');
--|  jsonb_path_query
--| ------------------
--|  0.01
--| (1 row)
select jsonb_path_query('-0.00123456', '$.decimal(2,-4)');
--|  jsonb_path_query
--| ------------------
--|  0
--| (1 row)
select jsonb_path_query('0.0012345', '$.decimal(2,4)');
--|  jsonb_path_query
--| ------------------
--|  0.0012
--| (1 row)

-- Dates and times.
set timezone to 'UTC';
--| SET
select jsonb_path_query('"bogus"', '$.datetime()');
--| ERROR:  22031: datetime format is not recognized: "bogus"
--| HINT:  Use a datetime template argument to specify the input data format.
select jsonb_path_query_tz('"bogus"', '$.datetime()');
--| ERROR:  22031: datetime format is not recognized: "bogus"
--| HINT:  Use a datetime template argument to specify the input data format.
select jsonb_path_query('"2023-08-15"', '$.datetime()');
--|  jsonb_path_query
--| ------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15"', '$.datetime()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query('"12:34:56"', '$.datetime()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56"
--| (1 row)
select jsonb_path_query_tz('"12:34:56"', '$.datetime()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56"
--| (1 row)
select jsonb_path_query('"12:34:56.789"', '$.datetime()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56.789"
--| (1 row)
select jsonb_path_query_tz('"12:34:56.789"', '$.datetime()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56.789"
--| (1 row)
select jsonb_path_query('"12:34:56 +05:30"', '$.datetime()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56+05:30"
--| (1 row)
select jsonb_path_query_tz('"12:34:56 +05:30"', '$.datetime()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56"', '$.datetime()');
--|    jsonb_path_query
--| -----------------------
--|  "2023-08-15T12:34:56"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56"', '$.datetime()');
--|   jsonb_path_query_tz
--| -----------------------
--|  "2023-08-15T12:34:56"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56.789"', '$.datetime()');
--|      jsonb_path_query
--| ---------------------------
--|  "2023-08-15T12:34:56.789"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15T12:34:56.789"', '$.datetime()');
--|     jsonb_path_query_tz
--| ---------------------------
--|  "2023-08-15T12:34:56.789"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56 +05:30"', '$.datetime()');
--|       jsonb_path_query
--| -----------------------------
--|  "2023-08-15T12:34:56+05:30"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.datetime()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T12:34:56+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56+5"', '$.datetime()');
--|       jsonb_path_query
--| -----------------------------
--|  "2023-08-15T12:34:56+05:00"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15T12:34:56+5"', '$.datetime()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T12:34:56+05:00"
--| (1 row)
select jsonb_path_query('"2023-02-30"', '$.datetime()');
--| ERROR:  22031: datetime format is not recognized: "2023-02-30"
--| HINT:  Use a datetime template argument to specify the input data format.
select jsonb_path_query_tz('"2023-02-30"', '$.datetime()');
--| ERROR:  22031: datetime format is not recognized: "2023-02-30"
--| HINT:  Use a datetime template argument to specify the input data format.
select jsonb_path_query('1', '$.datetime()');
--| ERROR:  22031: jsonpath item method .datetime() can only be applied to a string
select jsonb_path_query_tz('1', '$.datetime()');
--| ERROR:  22031: jsonpath item method .datetime() can only be applied to a string
select jsonb_path_query('[]', '$.datetime()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_tz('[]', '$.datetime()');
--|  jsonb_path_query_tz
--| ---------------------
--| (0 rows)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.datetime().type()');
--|     jsonb_path_query_tz
--| ----------------------------
--|  "timestamp with time zone"
--| (1 row)
select jsonb_path_query('"bogus"', '$.date()');
--| ERROR:  22031: date format is not recognized: "bogus"
select jsonb_path_query_tz('"bogus"', '$.date()');
--| ERROR:  22031: date format is not recognized: "bogus"
select jsonb_path_query('"2023-08-15"', '$.date()');
--|  jsonb_path_query
--| ------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15"', '$.date()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query('"12:34:56"', '$.date()');
--| ERROR:  22031: date format is not recognized: "12:34:56"
select jsonb_path_query_tz('"12:34:56"', '$.date()');
--| ERROR:  22031: date format is not recognized: "12:34:56"
select jsonb_path_query('"12:34:56.789"', '$.date()');
--| ERROR:  22031: date format is not recognized: "12:34:56.789"
select jsonb_path_query_tz('"12:34:56.789"', '$.date()');
--| ERROR:  22031: date format is not recognized: "12:34:56.789"
select jsonb_path_query('"12:34:56 +05:30"', '$.date()');
--| ERROR:  22031: date format is not recognized: "12:34:56 +05:30"
select jsonb_path_query_tz('"12:34:56 +05:30"', '$.date()');
--| ERROR:  22031: date format is not recognized: "12:34:56 +05:30"
select jsonb_path_query('"2023-08-15 12:34:56"', '$.date()');
--|  jsonb_path_query
--| ------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56"', '$.date()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56.789"', '$.date()');
--|  jsonb_path_query
--| ------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15T12:34:56.789"', '$.date()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56 +05:30"', '$.date()');
--| ERROR:  0A000: cannot convert value from timestamptz to date without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.date()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56+5"', '$.date()');
--| ERROR:  0A000: cannot convert value from timestamptz to date without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15T12:34:56+5"', '$.date()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "2023-08-15"
--| (1 row)
select jsonb_path_query('"2023-02-30"', '$.date()');
--| ERROR:  22031: date format is not recognized: "2023-02-30"
select jsonb_path_query_tz('"2023-02-30"', '$.date()');
--| ERROR:  22031: date format is not recognized: "2023-02-30"
select jsonb_path_query('1', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query_tz('1', '$.date()');
--| ERROR:  22031: jsonpath item method .date() can only be applied to a string
select jsonb_path_query('[]', '$.date()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_tz('[]', '$.date()');
--|  jsonb_path_query_tz
--| ---------------------
--| (0 rows)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.date().type()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "date"
--| (1 row)
select jsonb_path_query('"bogus"', '$.time()');
--| ERROR:  22031: time format is not recognized: "bogus"
select jsonb_path_query_tz('"bogus"', '$.time()');
--| ERROR:  22031: time format is not recognized: "bogus"
select jsonb_path_query('"2023-08-15"', '$.time()');
--| ERROR:  22031: time format is not recognized: "2023-08-15"
select jsonb_path_query_tz('"2023-08-15"', '$.time()');
--| ERROR:  22031: time format is not recognized: "2023-08-15"
select jsonb_path_query('"12:34:56"', '$.time()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56"
--| (1 row)
select jsonb_path_query_tz('"12:34:56"', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56"
--| (1 row)
select jsonb_path_query('"12:34:56.789"', '$.time()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56.789"
--| (1 row)
select jsonb_path_query_tz('"12:34:56.789"', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56.789"
--| (1 row)
select jsonb_path_query('"12:34:56 +05:30"', '$.time()');
--| ERROR:  0A000: cannot convert value from timetz to time without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"12:34:56 +05:30"', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56"', '$.time()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56"', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56.789"', '$.time()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56.789"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15T12:34:56.789"', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56.789"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56 +05:30"', '$.time()');
--| ERROR:  0A000: cannot convert value from timestamptz to time without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "07:04:56"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56+5"', '$.time()');
--| ERROR:  0A000: cannot convert value from timestamptz to time without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15T12:34:56+5"', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "07:34:56"
--| (1 row)
select jsonb_path_query('"2023-02-30"', '$.time()');
--| ERROR:  22031: time format is not recognized: "2023-02-30"
select jsonb_path_query_tz('"2023-02-30"', '$.time()');
--| ERROR:  22031: time format is not recognized: "2023-02-30"
select jsonb_path_query('1', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query_tz('1', '$.time()');
--| ERROR:  22031: jsonpath item method .time() can only be applied to a string
select jsonb_path_query('[]', '$.time()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_tz('[]', '$.time()');
--|  jsonb_path_query_tz
--| ---------------------
--| (0 rows)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.time().type()');
--|    jsonb_path_query_tz
--| --------------------------
--|  "time without time zone"
--| (1 row)
select jsonb_path_query('"bogus"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "bogus"
select jsonb_path_query_tz('"bogus"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "bogus"
select jsonb_path_query('"2023-08-15"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-08-15"
select jsonb_path_query_tz('"2023-08-15"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-08-15"
select jsonb_path_query('"12:34:56"', '$.time_tz()');
--| ERROR:  0A000: cannot convert value from time to timetz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"12:34:56"', '$.time_tz()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56+00:00"
--| (1 row)
select jsonb_path_query('"12:34:56.789"', '$.time_tz()');
--| ERROR:  0A000: cannot convert value from time to timetz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"12:34:56.789"', '$.time_tz()');
--|  jsonb_path_query_tz
--| ----------------------
--|  "12:34:56.789+00:00"
--| (1 row)
select jsonb_path_query('"12:34:56 +05:30"', '$.time_tz()');
--|  jsonb_path_query
--| ------------------
--|  "12:34:56+05:30"
--| (1 row)
select jsonb_path_query_tz('"12:34:56 +05:30"', '$.time_tz()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-08-15 12:34:56"
select jsonb_path_query_tz('"2023-08-15 12:34:56"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-08-15 12:34:56"
select jsonb_path_query('"2023-08-15T12:34:56.789"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-08-15T12:34:56.789"
select jsonb_path_query_tz('"2023-08-15T12:34:56.789"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-08-15T12:34:56.789"
select jsonb_path_query('"2023-08-15 12:34:56 +05:30"', '$.time_tz()');
--|  jsonb_path_query
--| ------------------
--|  "07:04:56+00:00"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.time_tz()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "07:04:56+00:00"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56+5"', '$.time_tz()');
--|  jsonb_path_query
--| ------------------
--|  "07:34:56+00:00"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15T12:34:56+5"', '$.time_tz()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "07:34:56+00:00"
--| (1 row)
select jsonb_path_query('"2023-02-30"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-02-30"
select jsonb_path_query_tz('"2023-02-30"', '$.time_tz()');
--| ERROR:  22031: time_tz format is not recognized: "2023-02-30"
select jsonb_path_query('1', '$.time_tz()');
--| ERROR:  22031: jsonpath item method .time_tz() can only be applied to a string
select jsonb_path_query_tz('1', '$.time_tz()');
--| ERROR:  22031: jsonpath item method .time_tz() can only be applied to a string
select jsonb_path_query('[]', '$.time_tz()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_tz('[]', '$.time_tz()');
--|  jsonb_path_query_tz
--| ---------------------
--| (0 rows)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.time_tz().type()');
--|   jsonb_path_query_tz
--| -----------------------
--|  "time with time zone"
--| (1 row)
select jsonb_path_query('"bogus"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "bogus"
select jsonb_path_query_tz('"bogus"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "bogus"
select jsonb_path_query('"2023-08-15"', '$.timestamp()');
--|    jsonb_path_query
--| -----------------------
--|  "2023-08-15T00:00:00"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15"', '$.timestamp()');
--|   jsonb_path_query_tz
--| -----------------------
--|  "2023-08-15T00:00:00"
--| (1 row)
select jsonb_path_query('"12:34:56"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "12:34:56"
select jsonb_path_query_tz('"12:34:56"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "12:34:56"
select jsonb_path_query('"12:34:56.789"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "12:34:56.789"
select jsonb_path_query_tz('"12:34:56.789"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "12:34:56.789"
select jsonb_path_query('"12:34:56 +05:30"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "12:34:56 +05:30"
select jsonb_path_query_tz('"12:34:56 +05:30"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "12:34:56 +05:30"
select jsonb_path_query('"2023-08-15 12:34:56"', '$.timestamp()');
--|    jsonb_path_query
--| -----------------------
--|  "2023-08-15T12:34:56"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56"', '$.timestamp()');
--|   jsonb_path_query_tz
--| -----------------------
--|  "2023-08-15T12:34:56"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56.789"', '$.timestamp()');
--|      jsonb_path_query
--| ---------------------------
--|  "2023-08-15T12:34:56.789"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15T12:34:56.789"', '$.timestamp()');
--|     jsonb_path_query_tz
--| ---------------------------
--|  "2023-08-15T12:34:56.789"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56 +05:30"', '$.timestamp()');
--| ERROR:  0A000: cannot convert value from timestamptz to timestamp without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.timestamp()');
--|   jsonb_path_query_tz
--| -----------------------
--|  "2023-08-15T07:04:56"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56+5"', '$.timestamp()');
--| ERROR:  0A000: cannot convert value from timestamptz to timestamp without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15T12:34:56+5"', '$.timestamp()');
--|   jsonb_path_query_tz
--| -----------------------
--|  "2023-08-15T07:34:56"
--| (1 row)
select jsonb_path_query('"2023-02-30"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "2023-02-30"
select jsonb_path_query_tz('"2023-02-30"', '$.timestamp()');
--| ERROR:  22031: timestamp format is not recognized: "2023-02-30"
select jsonb_path_query('1', '$.timestamp()');
--| ERROR:  22031: jsonpath item method .timestamp() can only be applied to a string
select jsonb_path_query_tz('1', '$.timestamp()');
--| ERROR:  22031: jsonpath item method .timestamp() can only be applied to a string
select jsonb_path_query('[]', '$.timestamp()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_tz('[]', '$.timestamp()');
--|  jsonb_path_query_tz
--| ---------------------
--| (0 rows)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.timestamp().type()');
--|       jsonb_path_query_tz
--| -------------------------------
--|  "timestamp without time zone"
--| (1 row)
select jsonb_path_query('"bogus"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "bogus"
select jsonb_path_query_tz('"bogus"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "bogus"
select jsonb_path_query('"2023-08-15"', '$.timestamp_tz()');
--| ERROR:  0A000: cannot convert value from date to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15"', '$.timestamp_tz()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T00:00:00+00:00"
--| (1 row)
select jsonb_path_query('"12:34:56"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "12:34:56"
select jsonb_path_query_tz('"12:34:56"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "12:34:56"
select jsonb_path_query('"12:34:56.789"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "12:34:56.789"
select jsonb_path_query_tz('"12:34:56.789"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "12:34:56.789"
select jsonb_path_query('"12:34:56 +05:30"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "12:34:56 +05:30"
select jsonb_path_query_tz('"12:34:56 +05:30"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "12:34:56 +05:30"
select jsonb_path_query('"2023-08-15 12:34:56"', '$.timestamp_tz()');
--| ERROR:  0A000: cannot convert value from timestamp to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15 12:34:56"', '$.timestamp_tz()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T12:34:56+00:00"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56.789"', '$.timestamp_tz()');
--| ERROR:  0A000: cannot convert value from timestamp to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_tz('"2023-08-15T12:34:56.789"', '$.timestamp_tz()');
--|        jsonb_path_query_tz
--| ---------------------------------
--|  "2023-08-15T12:34:56.789+00:00"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56 +05:30"', '$.timestamp_tz()');
--|       jsonb_path_query
--| -----------------------------
--|  "2023-08-15T12:34:56+05:30"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.timestamp_tz()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T12:34:56+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15T12:34:56+5"', '$.timestamp_tz()');
--|       jsonb_path_query
--| -----------------------------
--|  "2023-08-15T12:34:56+05:00"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15T12:34:56+5"', '$.timestamp_tz()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T12:34:56+05:00"
--| (1 row)
select jsonb_path_query('"2023-02-30"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "2023-02-30"
select jsonb_path_query_tz('"2023-02-30"', '$.timestamp_tz()');
--| ERROR:  22031: timestamp_tz format is not recognized: "2023-02-30"
select jsonb_path_query('1', '$.timestamp_tz()');
--| ERROR:  22031: jsonpath item method .timestamp_tz() can only be applied to a string
select jsonb_path_query_tz('1', '$.timestamp_tz()');
--| ERROR:  22031: jsonpath item method .timestamp_tz() can only be applied to a string
select jsonb_path_query('[]', '$.timestamp_tz()');
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query_tz('[]', '$.timestamp_tz()');
--|  jsonb_path_query_tz
--| ---------------------
--| (0 rows)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.timestamp_tz().type()');
--|     jsonb_path_query_tz
--| ----------------------------
--|  "timestamp with time zone"
--| (1 row)
select jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy")');
--|  jsonb_path_query
--| ------------------
--|  "2017-03-10"
--| (1 row)
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy")');
--| ERROR:  22007: trailing characters remain in input string after datetime format
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("dd-mm-yyyy")');
--| ERROR:  22007: trailing characters remain in input string after datetime format
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("dd-mm-yyyy")');
--| ERROR:  22007: trailing characters remain in input string after datetime format
select jsonb_path_query('"12:34"', '$.datetime("dd-mm-yyyy")');
--| ERROR:  22007: unmatched format separator "-"
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd-mm-yyyy")');
--| ERROR:  22007: trailing characters remain in input string after datetime format
select jsonb_path_query('"March 10 2017"', '$.datetime("dd-mm-yyyy")');
--| ERROR:  22007: invalid value "Ma" for "dd"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy HH24:MI")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy HH24:MI")');
--|    jsonb_path_query
--| -----------------------
--|  "2017-03-10T12:34:00"
--| (1 row)
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("dd-mm-yyyy HH24:MI")');
--| ERROR:  22007: trailing characters remain in input string after datetime format
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("dd-mm-yyyy HH24:MI")');
--| ERROR:  22007: trailing characters remain in input string after datetime format
select jsonb_path_query('"12:34"', '$.datetime("dd-mm-yyyy HH24:MI")');
--| ERROR:  22007: unmatched format separator "-"
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd-mm-yyyy HH24:MI")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"March 10 2017"', '$.datetime("dd-mm-yyyy HH24:MI")');
--| ERROR:  22007: invalid value "Ma" for "dd"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy HH24:MI TZH")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy HH24:MI TZH")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("dd-mm-yyyy HH24:MI TZH")');
--|       jsonb_path_query
--| -----------------------------
--|  "2017-03-10T12:34:00+05:00"
--| (1 row)
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("dd-mm-yyyy HH24:MI TZH")');
--| ERROR:  22007: trailing characters remain in input string after datetime format
select jsonb_path_query('"12:34"', '$.datetime("dd-mm-yyyy HH24:MI TZH")');
--| ERROR:  22007: unmatched format separator "-"
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd-mm-yyyy HH24:MI TZH")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"March 10 2017"', '$.datetime("dd-mm-yyyy HH24:MI TZH")');
--| ERROR:  22007: invalid value "Ma" for "dd"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
--|       jsonb_path_query
--| -----------------------------
--|  "2017-03-10T12:34:00-05:20"
--| (1 row)
select jsonb_path_query('"12:34"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
--| ERROR:  22007: unmatched format separator "-"
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"March 10 2017"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
--| ERROR:  22007: invalid value "Ma" for "dd"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"10-03-2017"', '$.datetime("HH24:MI")');
--| ERROR:  22007: unmatched format separator ":"
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("HH24:MI")');
--| ERROR:  22007: unmatched format separator ":"
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("HH24:MI")');
--| ERROR:  22007: unmatched format separator ":"
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("HH24:MI")');
--| ERROR:  22007: unmatched format separator ":"
select jsonb_path_query('"12:34"', '$.datetime("HH24:MI")');
--|  jsonb_path_query
--| ------------------
--|  "12:34:00"
--| (1 row)
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("HH24:MI")');
--| ERROR:  22007: unmatched format separator ":"
select jsonb_path_query('"March 10 2017"', '$.datetime("HH24:MI")');
--| ERROR:  22007: invalid value "Ma" for "HH24"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
--| ERROR:  22007: unmatched format character "T"
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
--| ERROR:  22007: unmatched format character "T"
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
--| ERROR:  22007: unmatched format character "T"
select jsonb_path_query('"12:34"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
--| ERROR:  22007: unmatched format separator "-"
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
--|    jsonb_path_query
--| -----------------------
--|  "2017-03-10T12:34:00"
--| (1 row)
select jsonb_path_query('"March 10 2017"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
--| ERROR:  22007: invalid value "Ma" for "dd"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"12:34"', '$.datetime("aaa")');
--| ERROR:  22007: invalid datetime format separator: "a"
select jsonb_path_query('"10-03-2017"', '$.datetime("yyyy TZH")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("yyyy TZH")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("yyyy TZH")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("yyyy TZH")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"12:34"', '$.datetime("yyyy TZH")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("yyyy TZH")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"March 10 2017"', '$.datetime("yyyy TZH")');
--| ERROR:  22007: invalid value "Marc" for "yyyy"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"12:34"', '$.datetime("")');
--| ERROR:  22007: datetime format is not dated and not timed
select jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy HH24:MI OF")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy HH24:MI OF")');
--| ERROR:  22007: input string is too short for datetime format
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("dd-mm-yyyy HH24:MI OF")');
--|       jsonb_path_query
--| -----------------------------
--|  "2017-03-10T12:34:00+05:00"
--| (1 row)
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("dd-mm-yyyy HH24:MI OF")');
--|       jsonb_path_query
--| -----------------------------
--|  "2017-03-10T12:34:00-05:20"
--| (1 row)
select jsonb_path_query('"12:34"', '$.datetime("dd-mm-yyyy HH24:MI OF")');
--| ERROR:  22007: unmatched format separator "-"
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd-mm-yyyy HH24:MI OF")');
--| ERROR:  22007: unmatched format separator " "
select jsonb_path_query('"March 10 2017"', '$.datetime("dd-mm-yyyy HH24:MI OF")');
--| ERROR:  22007: invalid value "Ma" for "dd"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"10-03-2017"', '$.datetime("dd.mm.yyyy")');
--| ERROR:  22007: unmatched format separator "."
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd.mm.yyyy")');
--| ERROR:  22007: unmatched format separator "."
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("dd.mm.yyyy")');
--| ERROR:  22007: unmatched format separator "."
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("dd.mm.yyyy")');
--| ERROR:  22007: unmatched format separator "."
select jsonb_path_query('"12:34"', '$.datetime("dd.mm.yyyy")');
--| ERROR:  22007: unmatched format separator "."
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd.mm.yyyy")');
--| ERROR:  22007: unmatched format separator "."
select jsonb_path_query('"March 10 2017"', '$.datetime("dd.mm.yyyy")');
--| ERROR:  22007: invalid value "Ma" for "dd"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"10-03-2017"', '$.datetime("Month DD YYYY")');
--| ERROR:  22007: invalid value "10-03-2017" for "Month"
--| DETAIL:  The given value did not match any of the allowed values for this field.
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("Month DD YYYY")');
--| ERROR:  22007: invalid value "10-03-2017" for "Month"
--| DETAIL:  The given value did not match any of the allowed values for this field.
select jsonb_path_query('"10-03-2017 12:34 +05"', '$.datetime("Month DD YYYY")');
--| ERROR:  22007: invalid value "10-03-2017" for "Month"
--| DETAIL:  The given value did not match any of the allowed values for this field.
select jsonb_path_query('"10-03-2017 12:34 -05:20"', '$.datetime("Month DD YYYY")');
--| ERROR:  22007: invalid value "10-03-2017" for "Month"
--| DETAIL:  The given value did not match any of the allowed values for this field.
select jsonb_path_query('"12:34"', '$.datetime("Month DD YYYY")');
--| ERROR:  22007: invalid value "12:34" for "Month"
--| DETAIL:  The given value did not match any of the allowed values for this field.
select jsonb_path_query('"10-03-2017T12:34"', '$.datetime("Month DD YYYY")');
--| ERROR:  22007: invalid value "10-03-2017T12:34" for "Month"
--| DETAIL:  The given value did not match any of the allowed values for this field.
select jsonb_path_query('"March 10 2017"', '$.datetime("Month DD YYYY")');
--|  jsonb_path_query
--| ------------------
--|  "2017-03-10"
--| (1 row)
select jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy").type()');
--|  jsonb_path_query
--| ------------------
--|  "date"
--| (1 row)
select jsonb_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy")', silent => true);
--|  jsonb_path_query
--| ------------------
--| (0 rows)
select jsonb_path_query('"aaaa"', '$.datetime("HH24")');
--| ERROR:  22007: invalid value "aa" for "HH24"
--| DETAIL:  Value must be an integer.
select jsonb_path_query('"12:34:56.7891234"', '$.time(12345678901)');
--| ERROR:  22031: time precision of jsonpath item method .time() is out of range for type integer
select jsonb_path_query('"12:34:56.789 +05:30"', '$.time_tz(12345678901)');
--| ERROR:  22031: time precision of jsonpath item method .time_tz() is out of range for type integer
select jsonb_path_query('"2023-08-15 12:34:56.789"', '$.timestamp(12345678901)');
--| ERROR:  22031: time precision of jsonpath item method .timestamp() is out of range for type integer
select jsonb_path_query('"2023-08-15 12:34:56.789 +05:30"', '$.timestamp_tz(12345678901)');
--| ERROR:  22031: time precision of jsonpath item method .timestamp_tz() is out of range for type integer
select jsonb_path_query('"12:34:56.7891234"', '$.time(0)');
--| ERROR:  22031: time format is not recognized: "12:34:56.7891234"
select jsonb_path_query('"12:34:56.789 +05:30"', '$.time_tz(0)');
--|  jsonb_path_query
--| ------------------
--|  "12:34:57+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789"', '$.timestamp(0)');
--|    jsonb_path_query
--| -----------------------
--|  "2023-08-15T12:34:57"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789 +05:30"', '$.timestamp_tz(0)');
--|       jsonb_path_query
--| -----------------------------
--|  "2023-08-15T12:34:57+05:30"
--| (1 row)
select jsonb_path_query('"12:34:56.7891234"', '$.time(2)');
--| ERROR:  22031: time format is not recognized: "12:34:56.7891234"
select jsonb_path_query('"12:34:56.789 +05:30"', '$.time_tz(2)');
--|   jsonb_path_query
--| ---------------------
--|  "12:34:56.79+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789"', '$.timestamp(2)');
--|      jsonb_path_query
--| --------------------------
--|  "2023-08-15T12:34:56.79"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789 +05:30"', '$.timestamp_tz(2)');
--|         jsonb_path_query
--| --------------------------------
--|  "2023-08-15T12:34:56.79+05:30"
--| (1 row)
select jsonb_path_query('"12:34:56.7891234"', '$.time(5)');
--| ERROR:  22031: time format is not recognized: "12:34:56.7891234"
select jsonb_path_query('"12:34:56.789 +05:30"', '$.time_tz(5)');
--|    jsonb_path_query
--| ----------------------
--|  "12:34:56.789+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789"', '$.timestamp(5)');
--|      jsonb_path_query
--| ---------------------------
--|  "2023-08-15T12:34:56.789"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789 +05:30"', '$.timestamp_tz(5)');
--|         jsonb_path_query
--| ---------------------------------
--|  "2023-08-15T12:34:56.789+05:30"
--| (1 row)
select jsonb_path_query('"12:34:56.7891234"', '$.time(6)');
--| ERROR:  22031: time format is not recognized: "12:34:56.7891234"
select jsonb_path_query('"12:34:56.789 +05:30"', '$.time_tz(6)');
--|    jsonb_path_query
--| ----------------------
--|  "12:34:56.789+05:30"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789"', '$.timestamp(6)');
--|      jsonb_path_query
--| ---------------------------
--|  "2023-08-15T12:34:56.789"
--| (1 row)
select jsonb_path_query('"2023-08-15 12:34:56.789 +05:30"', '$.timestamp_tz(6)');
--|         jsonb_path_query
--| ---------------------------------
--|  "2023-08-15T12:34:56.789+05:30"
--| (1 row)
set timezone to 'Asia/Tokyo';
--| SET
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.time().string()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "16:04:56"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15"', '$.timestamp_tz().string()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T00:00:00+09:00"
--| (1 row)
select jsonb_path_query_tz('"12:34:56"', '$.time_tz().string()');
--|  jsonb_path_query_tz
--| ---------------------
--|  "12:34:56+09:00"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56"', '$.timestamp_tz().string()');
--|      jsonb_path_query_tz
--| -----------------------------
--|  "2023-08-15T12:34:56+09:00"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 12:34:56 +05:30"', '$.timestamp().string()');
--|   jsonb_path_query_tz
--| -----------------------
--|  "2023-08-15T16:04:56"
--| (1 row)
select jsonb_path_query_tz('"2023-08-15 22:34:56 -05:30"', '$.date().string()');
--| ERROR:  22031: date format is not recognized: "2023-08-15 22:34:56 -05:30"
set timezone to 'UTC';
--| SET
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "10.03.2017".datetime("dd.mm.yyyy"))');
--| ERROR:  0A000: cannot convert value from date to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "10.03.2017".datetime("dd.mm.yyyy"))');
--|                      jsonb_path_query_array_tz
--| --------------------------------------------------------------------
--|  ["2017-03-10", "2017-03-10T00:00:00", "2017-03-10T03:00:00+03:00"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "2017-03-10 00:00:00".timestamp())');
--| ERROR:  0A000: cannot convert value from timestamp to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "2017-03-10 00:00:00".timestamp())');
--|                      jsonb_path_query_array_tz
--| --------------------------------------------------------------------
--|  ["2017-03-10", "2017-03-10T00:00:00", "2017-03-10T03:00:00+03:00"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "2017-03-10 00:00:00 +00".timestamp_tz())');
--| ERROR:  0A000: cannot convert value from date to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "2017-03-10 00:00:00 +00".timestamp_tz())');
--|                      jsonb_path_query_array_tz
--| --------------------------------------------------------------------
--|  ["2017-03-10", "2017-03-10T00:00:00", "2017-03-10T03:00:00+03:00"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "12:34:56".time())');
--| ERROR:  0A000: cannot convert value from time to timetz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "12:34:56".time())');
--|  jsonb_path_query_array_tz
--| ---------------------------
--|  ["12:34:56"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "01:02:03 +04".time_tz())');
--| ERROR:  0A000: cannot convert value from time to timetz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ == "01:02:03 +04".time_tz())');
--|  jsonb_path_query_array_tz
--| ---------------------------
--|  ["01:02:03+04:00"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "10.03.2017".datetime("dd.mm.yyyy"))');
--| ERROR:  0A000: cannot convert value from date to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "10.03.2017".datetime("dd.mm.yyyy"))');
--|                                         jsonb_path_query_array_tz
--| ---------------------------------------------------------------------------------------------------------
--|  ["2017-03-10", "2017-03-11", "2017-03-10T00:00:00", "2017-03-10T12:34:56", "2017-03-10T03:00:00+03:00"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "2017-03-10 00:00:00".timestamp())');
--| ERROR:  0A000: cannot convert value from timestamp to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "2017-03-10 00:00:00".timestamp())');
--|                                         jsonb_path_query_array_tz
--| ---------------------------------------------------------------------------------------------------------
--|  ["2017-03-10", "2017-03-11", "2017-03-10T00:00:00", "2017-03-10T12:34:56", "2017-03-10T03:00:00+03:00"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "2017-03-10 00:00:00 +00".timestamp_tz())');
--| ERROR:  0A000: cannot convert value from date to timestamptz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "2017-03-10 00:00:00 +00".timestamp_tz())');
--|                                         jsonb_path_query_array_tz
--| ---------------------------------------------------------------------------------------------------------
--|  ["2017-03-10", "2017-03-11", "2017-03-10T00:00:00", "2017-03-10T12:34:56", "2017-03-10T03:00:00+03:00"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "12:34:56".time())');
--| ERROR:  0A000: cannot convert value from time to timetz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "12:34:56".time())');
--|  jsonb_path_query_array_tz
--| ---------------------------
--|  ["12:34:56"]
--| (1 row)
select jsonb_path_query('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "01:02:03 +04".time_tz())');
--| ERROR:  0A000: cannot convert value from time to timetz without time zone usage
--| HINT:  Use *_tz() function for time zone support.
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ >= "01:02:03 +04".time_tz())');
--|    jsonb_path_query_array_tz
--| --------------------------------
--|  ["12:34:56", "01:02:03+04:00"]
--| (1 row)
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ < "10.03.2017".datetime("dd.mm.yyyy"))');
--|           jsonb_path_query_array_tz
--| ---------------------------------------------
--|  ["2017-03-09", "2017-03-10T01:02:03+04:00"]
--| (1 row)
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ < "2017-03-10 00:00:00".timestamp())');
--|           jsonb_path_query_array_tz
--| ---------------------------------------------
--|  ["2017-03-09", "2017-03-10T01:02:03+04:00"]
--| (1 row)
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ < "2017-03-10 00:00:00 +00".timestamp_tz())');
--|           jsonb_path_query_array_tz
--| ---------------------------------------------
--|  ["2017-03-09", "2017-03-10T01:02:03+04:00"]
--| (1 row)
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ < "12:34:56".time())');
--|  jsonb_path_query_array_tz
--| ---------------------------
--|  ["01:02:03+04:00"]
--| (1 row)
select jsonb_path_query_array_tz('["2017-03-10", "2017-03-11", "2017-03-09", "12:34:56", "01:02:03+04", "2017-03-10 00:00:00", "2017-03-10 12:34:56", "2017-03-10 01:02:03+04", "2017-03-10 03:00:00+03"]', '$[*].datetime() ? (@ < "01:02:03 +04".time_tz())');
--|  jsonb_path_query_array_tz
--| ---------------------------
--|  []
--| (1 row)

-- Functions by name, with nulls, in FROM.
select * from jsonb_path_query('[1,2,3]', '$[*] ? (@ > 1)') with ordinality as t(v, n);
--|  v | n
--| ---+---
--|  2 | 1
--|  3 | 2
--| (2 rows)
select id, v from (values (1, jsonb '[1,2]'), (2, '[]'), (3, '{"a":4}')) d(id, j), lateral jsonb_path_query(j, '$[*]') v order by id;
--|  id |    v
--| ----+----------
--|   1 | 1
--|   1 | 2
--|   3 | {"a": 4}
--| (3 rows)
select jsonb_path_query(target => '[1,2]', path => '$[*]');
--|  jsonb_path_query
--| ------------------
--|  1
--|  2
--| (2 rows)
select jsonb_path_query_array('[1,2]', '$[*] ? (@ > 5)'), jsonb_path_query_first('[1,2]', '$[*] ? (@ > 5)');
--|  jsonb_path_query_array | jsonb_path_query_first
--| ------------------------+------------------------
--|  []                     |
--| (1 row)
select jsonb_path_query('1', '$', '{}', true, 5);
--| ERROR:  42883: function jsonb_path_query(unknown, unknown, unknown, boolean, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
select jsonb_path_query('1', 5);
--| ERROR:  42883: function jsonb_path_query(unknown, integer) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.

-- Columns and parameters.
create table paths (id int primary key, p jsonpath, list jsonpath[]);
--| CREATE TABLE
insert into paths values (1, '$.a[*] ? (@ > 1)', array['$'::jsonpath, '(!(1==1)).type()']), (2, 'strict $.b', null), (3, null, null);
--| INSERT 0 3
select * from paths order by id;
--|  id |        p         |          list
--| ----+------------------+------------------------
--|   1 | $."a"[*]?(@ > 1) | {$,"!(1 == 1).type()"}
--|   2 | strict $."b"     |
--|   3 |                  |
--| (3 rows)
select id, jsonb_path_query_array('{"a":[1,2,3],"b":"x"}', p) from paths order by id;
--|  id | jsonb_path_query_array
--| ----+------------------------
--|   1 | [2, 3]
--|   2 | ["x"]
--|   3 |
--| (3 rows)
create index on paths (p);
--| ERROR:  42704: data type jsonpath has no default operator class for access method "btree"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
create table keyed (p jsonpath primary key);
--| ERROR:  42704: data type jsonpath has no default operator class for access method "btree"
--| HINT:  You must specify an operator class for the index or define a default operator class for the data type.
select distinct p from paths;
--| ERROR:  42883: could not identify an equality operator for type jsonpath
select p from paths order by p;
--| ERROR:  42883: could not identify an ordering operator for type jsonpath
--| HINT:  Use an explicit ordering operator or modify the query.
select '$.a'::jsonpath in ('$.b');
--| ERROR:  42883: operator does not exist: jsonpath = unknown
--| HINT:  No operator matches the given name and argument types. You might need to add explicit type casts.
prepare q(jsonb, jsonpath) as select jsonb_path_query_array($1, $2);
--| PREPARE
execute q('[1,2]', '$[1]');
--|  jsonb_path_query_array
--| ------------------------
--|  [2]
--| (1 row)
create view seen as select id, jsonb_path_exists('{"a":[5]}', p) as has, jsonb '{"b":1}' @? p as is_there from paths;
--| CREATE VIEW
select pg_get_viewdef('seen');
--|                     pg_get_viewdef
--| -------------------------------------------------------
--|   SELECT id,                                          +
--|      jsonb_path_exists('{"a": [5]}'::jsonb, p) AS has,+
--|      ('{"b": 1}'::jsonb @? p) AS is_there             +
--|     FROM paths;
--| (1 row)
select * from seen order by id;
--| ERROR:  2203A: JSON object does not contain key "b"
drop view seen;
--| DROP VIEW
drop table paths;
--| DROP TABLE
select typname, typlen, typcategory, typarray, typinput from pg_type where oid in (4072, 4073) order by oid;
--|   typname  | typlen | typcategory | typarray |  typinput
--| -----------+--------+-------------+----------+-------------
--|  jsonpath  |     -1 | U           |     4073 | jsonpath_in
--|  _jsonpath |     -1 | A           |        0 | array_in
--| (2 rows)

-- Hostile ones.
select (repeat('(', 100000) || '$' || repeat(')', 100000))::jsonpath;
--| ERROR:  54001: stack depth limit exceeded
--| HINT:  Parts of a jsonpath nest no deeper than 6400 levels.
select jsonb_path_exists('1', ('$' || repeat(' + 1', 100000))::jsonpath);
--| ERROR:  54001: stack depth limit exceeded
--| HINT:  Parts of a jsonpath nest no deeper than 6400 levels.
select length(jsonb_path_query_array((repeat('[', 3000) || repeat(']', 3000))::jsonb, 'strict $.**')::text) > 1000;
--|  ?column?
--| ----------
--|  t
--| (1 row)
