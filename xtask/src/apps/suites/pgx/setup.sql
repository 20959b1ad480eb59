create extension if not exists hstore;
create domain uint64 as numeric(20, 0);
create role pgx_pw superuser login password 'secret';
create role pgx_scram superuser login password 'secret';
create role " tricky, ' } "" \ test user " superuser login password 'secret';
