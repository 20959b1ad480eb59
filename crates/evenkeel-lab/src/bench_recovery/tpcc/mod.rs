//! A TPC-C-like mix (W4): the tables, filling them, and what must be true of them at any moment.
//!
//! Departures from the benchmark's text, all for the sake of a script that pgbench can run: no keying and thinking times, items of an order come evenly from the whole
//! catalogue and in ascending order (so that no two orders wait for each other), no order is rolled back, a customer asked for by name is the first of that name, and a
//! stock row has one string of 240 characters for its ten. Figures are not tpmC.
//!
//! It must not know which server it is.

pub mod scripts;

use super::NAME;
use crate::bench_checkpoints::prepare::{Tick, patiently};
use crate::bench_checkpoints::{Error, server_error};
use crate::bench_tpcc::consistency;
use evenkeel_client::ConnString;
use evenkeel_client::Connection;

/// Items in the catalogue, and rows of stock in a warehouse.
pub const ITEMS: u32 = 100_000;
/// Districts of a warehouse.
pub const DISTRICTS: u32 = 10;
/// Customers of a district, and its orders at the beginning.
pub const CUSTOMERS: u32 = 3_000;
/// The last of these orders are not delivered yet.
const UNDELIVERED: u32 = 900;
/// Lines of each order at the beginning.
const LINES: u32 = 10;

/// They are new: the database is.
const TABLES: [&str; 11] = [
    "CREATE TABLE item (i_id int PRIMARY KEY, i_im_id int, i_name varchar(24), i_price numeric(5,2), i_data varchar(50))",
    "CREATE TABLE warehouse (w_id int PRIMARY KEY, w_name varchar(10), w_street varchar(40), w_city varchar(20), w_state char(2), w_zip char(9), \
     w_tax numeric(4,4), w_ytd numeric(12,2))",
    "CREATE TABLE district (d_w_id int, d_id int, d_name varchar(10), d_street varchar(40), d_city varchar(20), d_state char(2), d_zip char(9), \
     d_tax numeric(4,4), d_ytd numeric(12,2), d_next_o_id int, PRIMARY KEY (d_w_id, d_id))",
    "CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_last varchar(16), c_street varchar(40), c_city varchar(20), c_state char(2), \
     c_zip char(9), c_phone char(16), c_since timestamp, c_credit char(2), c_credit_lim numeric(12,2), c_discount numeric(4,4), c_balance numeric(12,2), \
     c_ytd_payment numeric(12,2), c_payment_cnt int, c_delivery_cnt int, c_data varchar(500), PRIMARY KEY (c_w_id, c_d_id, c_id))",
    "CREATE TABLE history (h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp, h_amount numeric(6,2), h_data varchar(24))",
    "CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int, s_dist char(240), s_ytd int, s_order_cnt int, s_remote_cnt int, s_data varchar(50), \
     PRIMARY KEY (s_w_id, s_i_id))",
    "CREATE TABLE orders (o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d timestamp, o_carrier_id int, o_ol_cnt int, o_all_local int, \
     PRIMARY KEY (o_w_id, o_d_id, o_id))",
    "CREATE TABLE new_order (no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id))",
    "CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int, ol_delivery_d timestamp, ol_quantity int, \
     ol_amount numeric(6,2), ol_dist_info char(24), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))",
    "CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first)",
    "CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)",
];

/// Transactions that change something, and were confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Confirmed {
    /// Orders taken.
    pub new_orders: u64,
    /// Payments made.
    pub payments: u64,
}

/// Creates and fills the tables. Blocks; `tick` may end it.
pub fn load(to: &ConnString, name: &str, warehouses: u32, tick: Tick<'_>) -> Result<(), Error> {
    let mut control = Connection::open(to, NAME).map_err(server_error(name))?;
    for sql in TABLES {
        patiently(&mut control, name, sql, tick)?;
    }
    let item = format!(
        "INSERT INTO item SELECT i, i % 10000 + 1, 'item ' || i, 1 + (i * 37 % 9900) / 100.0, md5(i::text) FROM generate_series(1, {ITEMS}) AS i"
    );
    patiently(&mut control, name, &item, tick)?;
    for w in 1..=warehouses {
        for sql in of_warehouse(w) {
            patiently(&mut control, name, &sql, tick)?;
        }
        tick(Some(f64::from(w) / f64::from(warehouses)))?;
    }
    Ok(())
}

/// A warehouse with all that belongs to it.
fn of_warehouse(w: u32) -> [String; 8] {
    let each = format!("generate_series(1, {DISTRICTS}) AS d, generate_series(1, {CUSTOMERS}) AS c");
    let delivered = CUSTOMERS - UNDELIVERED;
    // Which customer placed the order `c`: each one, in another order than they came. 1069 and 3000 have no common divisor.
    let customer = format!("c * 1069 % {CUSTOMERS} + 1");
    [
        format!(
            "INSERT INTO warehouse VALUES ({w}, 'house {w}', 'Street {w}', 'City', 'ST', '123456789', 0.1, 300000)"
        ),
        format!(
            "INSERT INTO district SELECT {w}, d, 'dist ' || d, 'Street ' || d, 'City', 'ST', '123456789', 0.1, 30000, {} FROM generate_series(1, {DISTRICTS}) AS d",
            CUSTOMERS + 1
        ),
        format!(
            "INSERT INTO stock SELECT {w}, i, 10 + i % 91, md5(i::text) || md5((i + 1)::text) || md5((i + 2)::text) || repeat('x', 144), 0, 0, 0, md5((-i)::text) \
             FROM generate_series(1, {ITEMS}) AS i"
        ),
        format!(
            "INSERT INTO customer SELECT {w}, d, c, 'First ' || c, 'NAME' || (c - 1) % 1000, 'Street ' || c, 'City', 'ST', '123456789', '0123456789012345', now(), \
             CASE WHEN c % 10 = 0 THEN 'BC' ELSE 'GC' END, 50000, c % 5000 / 10000.0, -10, 10, 1, 0, \
             md5(c::text) || md5((c + d)::text) || repeat(md5((-c)::text), 8) FROM {each}"
        ),
        format!("INSERT INTO history SELECT c, d, {w}, d, {w}, now(), 10, 'at first' FROM {each}"),
        format!(
            "INSERT INTO orders SELECT {w}, d, c, {customer}, now(), CASE WHEN c <= {delivered} THEN c % 10 + 1 END, {LINES}, 1 FROM {each}"
        ),
        format!("INSERT INTO new_order SELECT {w}, d, c FROM {each} WHERE c > {delivered}"),
        format!(
            "INSERT INTO order_line SELECT {w}, d, c, l, (c * 7919 + l * 104729 + d) % {ITEMS} + 1, {w}, CASE WHEN c <= {delivered} THEN now() END, 5, \
             CASE WHEN c <= {delivered} THEN 0 ELSE (c * l % 999900 + 1) / 100.0 END, substr(md5(l::text), 1, 24) \
             FROM {each}, generate_series(1, {LINES}) AS l"
        ),
    ]
}

/// Whether all that was confirmed is there, and nothing half done. The error says what is wrong.
pub fn look(to: &ConnString, name: &str, warehouses: u32, confirmed: Confirmed) -> Result<(), Error> {
    let mut control = Connection::open(to, NAME).map_err(server_error(name))?;
    let mut number = |sql: &str| -> Result<u64, Error> {
        let value = control.value(sql).map_err(server_error(name))?;
        value
            .as_deref()
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| Error::Options(format!("{name}: {sql}: {value:?}")))
    };
    let districts = u64::from(warehouses * DISTRICTS);
    let orders = number("SELECT sum(d_next_o_id) FROM district")? - districts * u64::from(CUSTOMERS + 1);
    let payments = number("SELECT count(*) FROM history")? - districts * u64::from(CUSTOMERS);
    for (what, found, confirmed) in
        [("new orders", orders, confirmed.new_orders), ("payments", payments, confirmed.payments)]
    {
        if found < confirmed {
            return Err(Error::Options(format!(
                "{name} has lost transactions: {found} of {confirmed} {what} that it had confirmed are there"
            )));
        }
    }
    consistency::check(&mut control, name, &mut |_| Ok(()))
}
