-- TPC-C as `evenkeel bench tpcc` has it: the plan of each of its statements, on tables of the right shape. A test of the lab sees to it that the
-- statements here are the lab's.

create table item (i_id int, i_im_id int, i_name varchar(24), i_price numeric(5,2), i_data varchar(50));
--| CREATE TABLE
create table warehouse (w_id int, w_name varchar(10), w_street_1 varchar(20), w_street_2 varchar(20), w_city varchar(20), w_state char(2), w_zip char(9), w_tax numeric(4,4), w_ytd numeric(12,2));
--| CREATE TABLE
create table district (d_w_id int, d_id int, d_name varchar(10), d_street_1 varchar(20), d_street_2 varchar(20), d_city varchar(20), d_state char(2), d_zip char(9), d_tax numeric(4,4), d_ytd numeric(12,2), d_next_o_id int);
--| CREATE TABLE
create table customer (c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_middle char(2), c_last varchar(16), c_street_1 varchar(20), c_street_2 varchar(20), c_city varchar(20), c_state char(2), c_zip char(9), c_phone char(16), c_since timestamp, c_credit char(2), c_credit_lim numeric(12,2), c_discount numeric(4,4), c_balance numeric(12,2), c_ytd_payment numeric(12,2), c_payment_cnt int, c_delivery_cnt int, c_data varchar(500));
--| CREATE TABLE
create table history (h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp, h_amount numeric(6,2), h_data varchar(24));
--| CREATE TABLE
create table stock (s_w_id int, s_i_id int, s_quantity int, s_dist_01 char(24), s_dist_02 char(24), s_dist_03 char(24), s_dist_04 char(24), s_dist_05 char(24), s_dist_06 char(24), s_dist_07 char(24), s_dist_08 char(24), s_dist_09 char(24), s_dist_10 char(24), s_ytd int, s_order_cnt int, s_remote_cnt int, s_data varchar(50));
--| CREATE TABLE
create table orders (o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d timestamp, o_carrier_id int, o_ol_cnt int, o_all_local int);
--| CREATE TABLE
create table new_order (no_w_id int, no_d_id int, no_o_id int);
--| CREATE TABLE
create table order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int, ol_delivery_d timestamp, ol_quantity int, ol_amount numeric(6,2), ol_dist_info char(24));
--| CREATE TABLE
insert into item select i, i, 'item', 1.5, 'data' from generate_series(1, 2000) as i;
--| INSERT 0 2000
insert into warehouse select w, 'w', 's', 's', 'c', 'st', '123411111', 0.1, 300000 from generate_series(1, 4) as w;
--| INSERT 0 4
insert into district select w, d, 'd', 's', 's', 'c', 'st', '123411111', 0.1, 30000, 101 from generate_series(1, 4) as w, generate_series(1, 10) as d;
--| INSERT 0 40
insert into customer select w, d, c, 'first' || c, 'OE', 'NAME' || c % 40, 's', 's', 'c', 'st', '123411111', '0123456789012345', timestamp '2026-01-01', 'GC', 50000, 0.1, -10, 10, 1, 0, repeat('x', 300) from generate_series(1, 4) as w, generate_series(1, 10) as d, generate_series(1, 100) as c;
--| INSERT 0 4000
insert into stock select w, i, 50, 'd', 'd', 'd', 'd', 'd', 'd', 'd', 'd', 'd', 'd', 0, 0, 0, 'data' from generate_series(1, 4) as w, generate_series(1, 2000) as i;
--| INSERT 0 8000
insert into orders select w, d, o, (o * 7) % 100 + 1, timestamp '2026-01-01', 1, 10, 1 from generate_series(1, 4) as w, generate_series(1, 10) as d, generate_series(1, 100) as o;
--| INSERT 0 4000
insert into new_order select w, d, o from generate_series(1, 4) as w, generate_series(1, 10) as d, generate_series(71, 100) as o;
--| INSERT 0 1200
insert into order_line select w, d, o, l, (o * l * 31) % 2000 + 1, w, timestamp '2026-01-01', 5, 0, 'd' from generate_series(1, 4) as w, generate_series(1, 10) as d, generate_series(1, 100) as o, generate_series(1, 10) as l;
--| INSERT 0 40000
alter table item add primary key (i_id);
--| ALTER TABLE
alter table warehouse add primary key (w_id);
--| ALTER TABLE
alter table district add primary key (d_w_id, d_id);
--| ALTER TABLE
alter table customer add primary key (c_w_id, c_d_id, c_id);
--| ALTER TABLE
alter table stock add primary key (s_w_id, s_i_id);
--| ALTER TABLE
alter table orders add primary key (o_w_id, o_d_id, o_id);
--| ALTER TABLE
alter table new_order add primary key (no_w_id, no_d_id, no_o_id);
--| ALTER TABLE
alter table order_line add primary key (ol_w_id, ol_d_id, ol_o_id, ol_number);
--| ALTER TABLE
create index customer_by_name on customer (c_w_id, c_d_id, c_last, c_first);
--| CREATE INDEX
create index orders_by_customer on orders (o_w_id, o_d_id, o_c_id, o_id);
--| CREATE INDEX
analyze;
--| ANALYZE

prepare no_customer as SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = $1 AND c_w_id = w_id AND c_d_id = $2 AND c_id = $3;
--| PREPARE
explain (costs off) execute no_customer(1, 2, 3);
--|                              QUERY PLAN
--| --------------------------------------------------------------------
--|  Nested Loop
--|    ->  Index Scan using customer_pkey on customer
--|          Index Cond: ((c_w_id = 1) AND (c_d_id = 2) AND (c_id = 3))
--|    ->  Index Scan using warehouse_pkey on warehouse
--|          Index Cond: (w_id = 1)
--| (5 rows)
prepare no_district as UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2 RETURNING d_next_o_id - 1, d_tax;
--| PREPARE
explain (costs off) execute no_district(1, 2);
--|                      QUERY PLAN
--| -----------------------------------------------------
--|  Update on district
--|    ->  Index Scan using district_pkey on district
--|          Index Cond: ((d_w_id = $1) AND (d_id = $2))
--| (3 rows)
prepare no_order as INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP, $5, $6);
--| PREPARE
explain (costs off) execute no_order(1, 2, 3, 4, 5, 6);
--|     QUERY PLAN
--| ------------------
--|  Insert on orders
--|    ->  Result
--| (2 rows)
prepare no_new_order as INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1, $2, $3);
--| PREPARE
explain (costs off) execute no_new_order(1, 2, 3);
--|      QUERY PLAN
--| ---------------------
--|  Insert on new_order
--|    ->  Result
--| (2 rows)
prepare no_item as SELECT i_price, i_name, i_data FROM item WHERE i_id = $1;
--| PREPARE
explain (costs off) execute no_item(1);
--|              QUERY PLAN
--| ------------------------------------
--|  Index Scan using item_pkey on item
--|    Index Cond: (i_id = $1)
--| (2 rows)
prepare no_line as INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);
--| PREPARE
explain (costs off) execute no_line(1, 2, 101, 1, 5, 1, 5, 7.5, 'dist');
--|       QUERY PLAN
--| ----------------------
--|  Insert on order_line
--|    ->  Result
--| (2 rows)
prepare p_warehouse as UPDATE warehouse SET w_ytd = w_ytd + $1 WHERE w_id = $2 RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip;
--| PREPARE
explain (costs off) execute p_warehouse(1, 2);
--|                      QUERY PLAN
--| ----------------------------------------------------
--|  Update on warehouse
--|    ->  Index Scan using warehouse_pkey on warehouse
--|          Index Cond: (w_id = $2)
--| (3 rows)
prepare p_district as UPDATE district SET d_ytd = d_ytd + $1 WHERE d_w_id = $2 AND d_id = $3 RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip;
--| PREPARE
explain (costs off) execute p_district(1, 2, 3);
--|                      QUERY PLAN
--| -----------------------------------------------------
--|  Update on district
--|    ->  Index Scan using district_pkey on district
--|          Index Cond: ((d_w_id = $2) AND (d_id = $3))
--| (3 rows)
prepare p_by_name as SELECT c_id FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first;
--| PREPARE
explain (costs off) execute p_by_name(1, 2, 'NAME7');
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Index Scan using customer_by_name on customer
--|    Index Cond: ((c_w_id = 1) AND (c_d_id = 2) AND (c_last = 'NAME7'::text))
--| (2 rows)
prepare p_customer as UPDATE customer SET c_balance = c_balance - $1, c_ytd_payment = c_ytd_payment + $2, c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = $5 RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance;
--| PREPARE
explain (costs off) execute p_customer(1, 2, 3, 4, 5);
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Update on customer
--|    ->  Index Scan using customer_pkey on customer
--|          Index Cond: ((c_w_id = $3) AND (c_d_id = $4) AND (c_id = $5))
--| (3 rows)
prepare p_bad_credit as UPDATE customer SET c_data = substr($1 || c_data, 1, 500) WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4 RETURNING substr(c_data, 1, 200);
--| PREPARE
explain (costs off) execute p_bad_credit('note', 1, 2, 3);
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Update on customer
--|    ->  Index Scan using customer_pkey on customer
--|          Index Cond: ((c_w_id = $2) AND (c_d_id = $3) AND (c_id = $4))
--| (3 rows)
prepare p_history as INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ($1, $2, $3, $4, $5, CURRENT_TIMESTAMP, $6, $7);
--| PREPARE
explain (costs off) execute p_history(1, 2, 1, 2, 1, 5.5, 'note');
--|     QUERY PLAN
--| -------------------
--|  Insert on history
--|    ->  Result
--| (2 rows)
prepare os_customer as SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3;
--| PREPARE
explain (costs off) execute os_customer(1, 2, 3);
--|                            QUERY PLAN
--| -----------------------------------------------------------------
--|  Index Scan using customer_pkey on customer
--|    Index Cond: ((c_w_id = $1) AND (c_d_id = $2) AND (c_id = $3))
--| (2 rows)
prepare os_by_name as SELECT c_id, c_balance, c_first, c_middle FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first;
--| PREPARE
explain (costs off) execute os_by_name(1, 2, 'NAME7');
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Index Scan using customer_by_name on customer
--|    Index Cond: ((c_w_id = 1) AND (c_d_id = 2) AND (c_last = 'NAME7'::text))
--| (2 rows)
prepare os_order as SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 ORDER BY o_id DESC LIMIT 1;
--| PREPARE
explain (costs off) execute os_order(1, 2, 3);
--|                               QUERY PLAN
--| ----------------------------------------------------------------------
--|  Limit
--|    ->  Index Scan Backward using orders_by_customer on orders
--|          Index Cond: ((o_w_id = 1) AND (o_d_id = 2) AND (o_c_id = 3))
--| (3 rows)
prepare os_lines as SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3;
--| PREPARE
explain (costs off) execute os_lines(1, 2, 3);
--|                             QUERY PLAN
--| -------------------------------------------------------------------
--|  Index Scan using order_line_pkey on order_line
--|    Index Cond: ((ol_w_id = 1) AND (ol_d_id = 2) AND (ol_o_id = 3))
--| (2 rows)
prepare d_oldest as SELECT no_o_id FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 ORDER BY no_o_id LIMIT 1;
--| PREPARE
explain (costs off) execute d_oldest(1, 2);
--|                        QUERY PLAN
--| ---------------------------------------------------------
--|  Limit
--|    ->  Index Only Scan using new_order_pkey on new_order
--|          Index Cond: ((no_w_id = 1) AND (no_d_id = 2))
--| (3 rows)
prepare d_take as DELETE FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3 RETURNING no_o_id;
--| PREPARE
explain (costs off) execute d_take(1, 2, 3);
--|                                  QUERY PLAN
--| ----------------------------------------------------------------------------
--|  Delete on new_order
--|    ->  Index Scan using new_order_pkey on new_order
--|          Index Cond: ((no_w_id = $1) AND (no_d_id = $2) AND (no_o_id = $3))
--| (3 rows)
prepare d_order as UPDATE orders SET o_carrier_id = $1 WHERE o_w_id = $2 AND o_d_id = $3 AND o_id = $4 RETURNING o_c_id;
--| PREPARE
explain (costs off) execute d_order(1, 2, 3, 4);
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Update on orders
--|    ->  Index Scan using orders_pkey on orders
--|          Index Cond: ((o_w_id = $2) AND (o_d_id = $3) AND (o_id = $4))
--| (3 rows)
prepare d_lines as UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3;
--| PREPARE
explain (costs off) execute d_lines(1, 2, 3);
--|                                QUERY PLAN
--| -------------------------------------------------------------------------
--|  Update on order_line
--|    ->  Index Scan using order_line_pkey on order_line
--|          Index Cond: ((ol_w_id = 1) AND (ol_d_id = 2) AND (ol_o_id = 3))
--| (3 rows)
prepare d_amount as SELECT sum(ol_amount) FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3;
--| PREPARE
explain (costs off) execute d_amount(1, 2, 3);
--|                                QUERY PLAN
--| -------------------------------------------------------------------------
--|  Aggregate
--|    ->  Index Scan using order_line_pkey on order_line
--|          Index Cond: ((ol_w_id = 1) AND (ol_d_id = 2) AND (ol_o_id = 3))
--| (3 rows)
prepare d_customer as UPDATE customer SET c_balance = c_balance + $1, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4;
--| PREPARE
explain (costs off) execute d_customer(1, 2, 3, 4);
--|                               QUERY PLAN
--| -----------------------------------------------------------------------
--|  Update on customer
--|    ->  Index Scan using customer_pkey on customer
--|          Index Cond: ((c_w_id = $2) AND (c_d_id = $3) AND (c_id = $4))
--| (3 rows)
prepare sl_district as SELECT d_next_o_id FROM district WHERE d_w_id = $1 AND d_id = $2;
--| PREPARE
explain (costs off) execute sl_district(1, 2);
--|                   QUERY PLAN
--| -----------------------------------------------
--|  Index Scan using district_pkey on district
--|    Index Cond: ((d_w_id = $1) AND (d_id = $2))
--| (2 rows)
prepare sl_stock as SELECT count(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= $3 AND ol_o_id < $4 AND s_w_id = $5 AND s_i_id = ol_i_id AND s_quantity < $6;
--| PREPARE
explain (costs off) execute sl_stock(1, 2, 80, 100, 1, 60);
--|                                              QUERY PLAN
--| -----------------------------------------------------------------------------------------------------
--|  Aggregate
--|    ->  Nested Loop
--|          ->  Index Scan using order_line_pkey on order_line
--|                Index Cond: ((ol_w_id = 1) AND (ol_d_id = 2) AND (ol_o_id >= 80) AND (ol_o_id < 100))
--|          ->  Index Scan using stock_pkey on stock
--|                Index Cond: ((s_w_id = 1) AND (s_i_id = order_line.ol_i_id))
--|                Filter: (s_quantity < 60)
--| (7 rows)
prepare no_stock_1 as UPDATE stock SET s_quantity = CASE WHEN s_quantity >= $1 + 10 THEN s_quantity - $1 ELSE s_quantity - $1 + 91 END, s_ytd = s_ytd + $1, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2 WHERE s_w_id = $3 AND s_i_id = $4 RETURNING s_quantity, s_dist_01, s_data;
--| PREPARE
explain (costs off) execute no_stock_1(1, 2, 3, 4);
--|                       QUERY PLAN
--| -------------------------------------------------------
--|  Update on stock
--|    ->  Index Scan using stock_pkey on stock
--|          Index Cond: ((s_w_id = $3) AND (s_i_id = $4))
--| (3 rows)

-- What EXPLAIN says of prepared statements, and of statements with parameters.
explain (costs off, generic_plan) select i_name from item where i_id = $1;
--|              QUERY PLAN
--| ------------------------------------
--|  Index Scan using item_pkey on item
--|    Index Cond: (i_id = $1)
--| (2 rows)
explain (costs off) select i_name from item where i_id = $1;
--| ERROR:  42P02: there is no parameter $1
explain (analyze, generic_plan) select 1;
--| ERROR:  22023: EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together
explain (costs off, timing off, summary off, buffers off, analyze) execute no_item(5);
--|                           QUERY PLAN
--| ---------------------------------------------------------------
--|  Index Scan using item_pkey on item (actual rows=1.00 loops=1)
--|    Index Cond: (i_id = $1)
--|    Index Searches: 1
--| (3 rows)
explain execute no_item;
--| ERROR:  42601: wrong number of parameters for prepared statement "no_item"
--| DETAIL:  Expected 1 parameters but got 0.
explain execute nothing(1);
--| ERROR:  26000: prepared statement "nothing" does not exist
