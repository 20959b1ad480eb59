-- Values of settings that would be taken, and nothing would be done.

set exit_on_error = on;
--| ERROR:  0A000: exit_on_error is not supported
set scram_iterations = 8192;
--| ERROR:  0A000: scram_iterations = "8192" is not supported
set createrole_self_grant = 'set, inherit';
--| ERROR:  0A000: createrole_self_grant = "set, inherit" is not supported
set log_statement_stats = on;
--| ERROR:  0A000: log_statement_stats is not supported
set log_transaction_sample_rate = 0.5;
--| ERROR:  0A000: log_transaction_sample_rate = "0.5" is not supported
set log_parameter_max_length_on_error = -1;
--| ERROR:  0A000: log_parameter_max_length_on_error = "-1" is not supported
set timezone_abbreviations = 'Australia';
--| ERROR:  0A000: timezone_abbreviations = "Australia" is not supported
set session_preload_libraries = 'auto_explain';
--| SET
set session_preload_libraries = 'auto_explain, other';
--| ERROR:  0A000: library "other" is not supported for session_preload_libraries
set transform_null_equals = on;
--| ERROR:  0A000: transform_null_equals is not supported
set zero_damaged_pages = on;
--| ERROR:  0A000: zero_damaged_pages is not supported
