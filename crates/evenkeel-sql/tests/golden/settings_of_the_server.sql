-- What is the server's is not a session's to set, nor what is a session's ALTER SYSTEM's.

set max_wal_size = '333MB';
--| ERROR:  55P02: parameter "max_wal_size" cannot be changed now
begin;
--| BEGIN
set local max_wal_size = '333MB';
--| ERROR:  55P02: parameter "max_wal_size" cannot be changed now
rollback;
--| ROLLBACK
reset max_wal_size;
--| ERROR:  55P02: parameter "max_wal_size" cannot be changed now
set max_wal_size to default;
--| ERROR:  55P02: parameter "max_wal_size" cannot be changed now
select set_config('max_wal_size', '1GB', false);
--| ERROR:  55P02: parameter "max_wal_size" cannot be changed now
set shared_buffers = '1GB';
--| ERROR:  55P02: parameter "shared_buffers" cannot be changed without restarting the server
set checkpoint_timeout = '5 parsec';
--| ERROR:  55P02: parameter "checkpoint_timeout" cannot be changed now
set server_version = 1;
--| ERROR:  55P02: parameter "server_version" cannot be changed
reset server_version;
--| ERROR:  55P02: parameter "server_version" cannot be changed
select set_config('server_version', '1', false);
--| ERROR:  55P02: parameter "server_version" cannot be changed
alter system set role = 'x';
--| ERROR:  55P02: parameter "role" cannot be changed
alter system reset role;
--| ERROR:  55P02: parameter "role" cannot be changed
alter system set session_authorization = 'x';
--| ERROR:  55P02: parameter "session_authorization" cannot be changed
alter system set transaction_isolation = 'serializable';
--| ERROR:  55P02: parameter "transaction_isolation" cannot be changed
alter system set transaction_read_only = on;
--| ERROR:  55P02: parameter "transaction_read_only" cannot be changed
alter system set transaction_deferrable = on;
--| ERROR:  55P02: parameter "transaction_deferrable" cannot be changed
alter system set server_version = '1';
--| ERROR:  55P02: parameter "server_version" cannot be changed
alter system set seed = 0.5;
--| ERROR:  55P02: parameter "seed" cannot be changed
