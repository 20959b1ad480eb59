-- LISTEN, NOTIFY: statements and what they refuse. Who is told what is in tests/notify.rs.

listen a;
--| LISTEN
listen "B c";
--| LISTEN
begin;
--| BEGIN
listen d;
--| LISTEN
select * from pg_listening_channels() order by 1;
--|  pg_listening_channels
--| -----------------------
--|  B c
--|  a
--| (2 rows)
rollback;
--| ROLLBACK
select pg_listening_channels() order by 1;
--|  pg_listening_channels
--| -----------------------
--|  B c
--|  a
--| (2 rows)
notify nobody;
--| NOTIFY
notify nobody, 'payload';
--| NOTIFY
notify nobody, E'pay\tload';
--| NOTIFY
begin read only;
--| BEGIN
notify nobody;
--| NOTIFY
select pg_notify('nobody', 'x');
--|  pg_notify
--| -----------
--|
--| (1 row)
commit;
--| COMMIT
select pg_notify('', 'x');
--| ERROR:  22023: channel name cannot be empty
select pg_notify(repeat('n', 64), 'x');
--| ERROR:  22023: channel name too long
select pg_notify('nobody', repeat('x', 8000));
--| ERROR:  22023: payload string too long
select pg_notify('nobody', repeat('x', 7999));
--|  pg_notify
--| -----------
--|
--| (1 row)
select pg_notify('x');
--| ERROR:  42883: function pg_notify(unknown) does not exist
--| HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
notify;
--| ERROR:  42601: syntax error at or near ";"
notify nobody, payload;
--| ERROR:  42601: syntax error at or near "payload"
notify nobody 'payload';
--| ERROR:  42601: syntax error at or near "'payload'"
listen;
--| ERROR:  42601: syntax error at or near ";"
listen *;
--| ERROR:  42601: syntax error at or near "*"
unlisten;
--| ERROR:  42601: syntax error at or near ";"
unlisten a;
--| UNLISTEN
select * from pg_listening_channels() order by 1;
--|  pg_listening_channels
--| -----------------------
--|  B c
--| (1 row)
unlisten nothing;
--| UNLISTEN
unlisten *;
--| UNLISTEN
select * from pg_listening_channels() order by 1;
--|  pg_listening_channels
--| -----------------------
--| (0 rows)
select pg_notification_queue_usage();
--|  pg_notification_queue_usage
--| -----------------------------
--|                            0
--| (1 row)
