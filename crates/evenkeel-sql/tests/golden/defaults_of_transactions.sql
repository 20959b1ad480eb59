-- What transactions begin with is of those to come: not of the one that the string that says it has begun.
set default_transaction_isolation = 'serializable'; show transaction_isolation; select 1;
--| SET
--|  transaction_isolation
--| -----------------------
--|  read committed
--| (1 row)
--|  ?column?
--| ----------
--|         1
--| (1 row)
show transaction_isolation;
--|  transaction_isolation
--| -----------------------
--|  serializable
--| (1 row)
reset default_transaction_isolation;
--| RESET
set default_transaction_read_only = on; create table t (a int); show transaction_read_only;
--| SET
--| CREATE TABLE
--|  transaction_read_only
--| -----------------------
--|  off
--| (1 row)
insert into t values (1);
--| ERROR:  25006: cannot execute INSERT in a read-only transaction
set default_transaction_read_only = off;
--| SET
set session characteristics as transaction isolation level repeatable read, deferrable; show transaction_isolation; show transaction_deferrable;
--| SET
--|  transaction_isolation
--| -----------------------
--|  read committed
--| (1 row)
--|  transaction_deferrable
--| ------------------------
--|  off
--| (1 row)
show transaction_isolation;
--|  transaction_isolation
--| -----------------------
--|  repeatable read
--| (1 row)
begin; set default_transaction_isolation = 'read committed'; show transaction_isolation; commit; show transaction_isolation;
--| BEGIN
--| SET
--|  transaction_isolation
--| -----------------------
--|  repeatable read
--| (1 row)
--| COMMIT
--|  transaction_isolation
--| -----------------------
--|  read committed
--| (1 row)
begin; show transaction_isolation; commit;
--| BEGIN
--|  transaction_isolation
--| -----------------------
--|  read committed
--| (1 row)
--| COMMIT
reset all;
--| RESET
