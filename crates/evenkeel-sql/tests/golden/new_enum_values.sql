-- Values that the transaction gave an enum are not used before it is committed, unless it made the enum.

create type mood as enum ('sad','ok');
--| CREATE TYPE
begin; alter type mood add value 'happy'; select 'happy'::mood;
--| ERROR:  55P04: unsafe use of new value "happy" of enum type mood
--| HINT:  New enum values must be committed before they can be used.
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; select enum_range(null::mood);
--| ERROR:  55P04: unsafe use of new value "happy" of enum type mood
--| HINT:  New enum values must be committed before they can be used.
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; select enum_first(null::mood), enum_range(null::mood, 'ok');
--| BEGIN
--| ALTER TYPE
--|  enum_first | enum_range
--| ------------+------------
--|  sad        | {sad,ok}
--| (1 row)
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; select enum_last(null::mood);
--| ERROR:  55P04: unsafe use of new value "happy" of enum type mood
--| HINT:  New enum values must be committed before they can be used.
rollback;
--| ROLLBACK
begin; create type m2 as enum ('a'); alter type m2 add value 'b'; select 'b'::m2, enum_last(null::m2);
--| BEGIN
--| CREATE TYPE
--| ALTER TYPE
--|  m2 | enum_last
--| ----+-----------
--|  b  | b
--| (1 row)
rollback;
--| ROLLBACK
begin; alter type mood rename value 'ok' to 'fine'; select 'fine'::mood;
--| BEGIN
--| ALTER TYPE
--|  mood
--| ------
--|  fine
--| (1 row)
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; alter type mood add value 'very' after 'happy'; select 'ok'::mood, enumlabel from pg_enum where enumtypid = 'mood'::regtype order by enumsortorder;
--| BEGIN
--| ALTER TYPE
--| ALTER TYPE
--|  mood | enumlabel
--| ------+-----------
--|  ok   | sad
--|  ok   | ok
--|  ok   | happy
--|  ok   | very
--| (4 rows)
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; create table tm (m mood default 'happy');
--| ERROR:  55P04: unsafe use of new value "happy" of enum type mood
--| HINT:  New enum values must be committed before they can be used.
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; create table tm (m mood default 'ok'); insert into tm values (default); select pg_input_is_valid('ok', 'mood'), pg_input_is_valid('happy', 'mood');
--| ERROR:  55P04: unsafe use of new value "happy" of enum type mood
--| HINT:  New enum values must be committed before they can be used.
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; savepoint s; alter type mood add value 'glad'; rollback to s; select 'glad'::mood;
--| ERROR:  22P02: invalid input value for enum mood: "glad"
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; alter type mood rename to mood3; select 'happy'::mood3;
--| ERROR:  55P04: unsafe use of new value "happy" of enum type mood3
--| HINT:  New enum values must be committed before they can be used.
rollback;
--| ROLLBACK
create table tm (m mood primary key); insert into tm values ('ok');
--| CREATE TABLE
--| INSERT 0 1
begin; alter type mood add value 'happy' before 'ok'; select * from tm where m < 'ok'; select * from tm where m::text = 'happy';
--| BEGIN
--| ALTER TYPE
--|  m
--| ---
--| (0 rows)
--|  m
--| ---
--| (0 rows)
select array['happy']::mood[];
--| ERROR:  55P04: unsafe use of new value "happy" of enum type mood
--| HINT:  New enum values must be committed before they can be used.
rollback;
--| ROLLBACK
begin; alter type mood add value 'happy'; commit; insert into tm values ('happy'); select * from tm order by m; select enum_range(null::mood);
--| BEGIN
--| ALTER TYPE
--| COMMIT
--| INSERT 0 1
--|    m
--| -------
--|  ok
--|  happy
--| (2 rows)
--|    enum_range
--| ----------------
--|  {sad,ok,happy}
--| (1 row)
