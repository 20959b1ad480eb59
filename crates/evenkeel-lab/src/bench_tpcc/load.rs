//! Filling the tables (4.3.3), by COPY.
//!
//! Invariants
//! 1. With the same seed all servers get the same rows.
//!
//! It must not know which server it is.

use std::fmt::{Arguments, Write};

use fastrand::Rng;

use super::random::{self, CUSTOMERS, DISTRICTS, ITEMS, data, digits, letters, money, share, zip};
use super::schema::{self, SCHEMA, TABLES};
use crate::bench_checkpoints::prepare::{CONTROL_NAME, Tick, patiently};
use crate::bench_checkpoints::{Error, server_error};
use evenkeel_client::{ConnString, Connection, Message, WireError};

/// The last of the first orders are not delivered yet.
const UNDELIVERED: u32 = 900;
/// Rows are sent when there are so many bytes of them.
const MESSAGE_BYTES: usize = 64 << 10;
/// When everything begins: the same for all servers.
const AT_FIRST: &str = "2026-01-01 00:00:00";
/// In COPY.
const NULL: &str = "\\N";

/// How many warehouses are there already, with all that belongs to them.
pub fn warehouses(control: &mut Connection) -> Option<u32> {
    // The last index is made when all else is there.
    let last = format!(
        "SELECT count(*) FROM pg_indexes WHERE schemaname = '{SCHEMA}' AND indexname = 'orders_by_customer'"
    );
    let whole = control.value(&last).ok().flatten()? == "1";
    let count = control.value(&format!("SELECT count(*) FROM {SCHEMA}.warehouse")).ok().flatten()?;
    count.parse().ok().filter(|_| whole)
}

/// Removes the tables.
pub fn remove(control: &mut Connection) -> Result<(), WireError> {
    // What does not exist is not worth a notice.
    control.query("SET client_min_messages = warning")?;
    for table in &TABLES {
        control.query(&format!("DROP TABLE IF EXISTS {SCHEMA}.{}", table.name))?;
    }
    control.query(&format!("DROP SCHEMA IF EXISTS {SCHEMA}")).map(drop)
}

/// Creates and fills the tables, in the place of older ones. Blocks; `tick` is told how much is done, and may end it.
pub fn load(to: &ConnString, name: &str, warehouses: u32, seed: u64, tick: Tick<'_>) -> Result<(), Error> {
    let mut control = Connection::open(to, CONTROL_NAME).map_err(server_error(name))?;
    remove(&mut control).map_err(server_error(name))?;
    patiently(&mut control, name, &format!("CREATE SCHEMA {SCHEMA}"), tick)?;
    for table in &TABLES {
        patiently(&mut control, name, &schema::create(table), tick)?;
    }
    let mut copy =
        Copy { connection: control, name, bytes: Vec::new(), row: String::new(), rng: Rng::new(), tick };
    copy.rng.seed(seed);
    copy.table("item", 0, items)?;
    for w in 1..=warehouses {
        // Of a warehouse: what belongs together is made from the same choices.
        let of = seed ^ (u64::from(w) << 32);
        copy.rng.seed(of);
        copy.table("warehouse", w, warehouse)?;
        copy.table("district", w, districts)?;
        copy.table("stock", w, stock)?;
        copy.table("customer", w, customers)?;
        copy.table("history", w, history)?;
        copy.rng.seed(of);
        copy.table("orders", w, orders)?;
        copy.table("new_order", w, new_orders)?;
        copy.rng.seed(of);
        copy.table("order_line", w, order_lines)?;
        (copy.tick)(Some(f64::from(w) / f64::from(warehouses + 1)))?;
    }
    let Copy { connection: mut control, tick, .. } = copy;
    let analyze = TABLES.iter().map(|t| format!("ANALYZE {SCHEMA}.{}", t.name));
    for sql in schema::indexes().into_iter().chain(analyze).chain(["CHECKPOINT".into()]) {
        patiently(&mut control, name, &sql, tick)?;
    }
    tick(Some(1.0))
}

/// A table that is being filled.
struct Copy<'a> {
    connection: Connection,
    name: &'a str,
    /// Rows that are not sent yet.
    bytes: Vec<u8>,
    row: String,
    rng: Rng,
    tick: Tick<'a>,
}

impl Copy<'_> {
    fn table(
        &mut self,
        table: &str,
        warehouse: u32,
        rows: fn(&mut Self, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let sql = format!("COPY {SCHEMA}.{table} FROM STDIN");
        self.connection.begin_copy(&sql).map_err(server_error(self.name))?;
        rows(self, warehouse)?;
        self.send()?;
        let end = self.connection.write(&Message::new(b'c').end()).map_err(WireError::from);
        end.and_then(|()| self.connection.until_ready()).map(drop).map_err(server_error(self.name))
    }

    fn row(&mut self, values: Arguments<'_>) -> Result<(), Error> {
        self.row.clear();
        // Into memory.
        let _ = self.row.write_fmt(values);
        self.bytes.extend_from_slice(self.row.as_bytes());
        self.bytes.push(b'\n');
        if self.bytes.len() >= MESSAGE_BYTES { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), Error> {
        let mut message = Message::new(b'd');
        message.bytes(&self.bytes);
        self.bytes.clear();
        self.connection.write(&message.end()).map_err(|e| server_error(self.name)(e.into()))?;
        (self.tick)(None)
    }

    /// Streets, city, state and code, between tabulators.
    fn address(&mut self) -> String {
        let rng = &mut self.rng;
        let (street, other, city) = (letters(rng, 10, 20), letters(rng, 10, 20), letters(rng, 10, 20));
        format!("{street}\t{other}\t{city}\t{}\t{}", letters(rng, 2, 2), zip(rng))
    }
}

fn items(c: &mut Copy<'_>, _: u32) -> Result<(), Error> {
    for i in 1..=ITEMS {
        let r = &mut c.rng;
        let (image, name, price, data) =
            (r.u32(1..=10_000), letters(r, 14, 24), money(r, 100, 10_000), data(r));
        c.row(format_args!("{i}\t{image}\t{name}\t{price}\t{data}"))?;
    }
    Ok(())
}

fn warehouse(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    let (name, address, tax) = (letters(&mut c.rng, 6, 10), c.address(), share(&mut c.rng, 2000));
    c.row(format_args!("{w}\t{name}\t{address}\t{tax}\t300000.00"))
}

fn districts(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    for d in 1..=DISTRICTS {
        let (name, address, tax) = (letters(&mut c.rng, 6, 10), c.address(), share(&mut c.rng, 2000));
        c.row(format_args!("{w}\t{d}\t{name}\t{address}\t{tax}\t30000.00\t{}", CUSTOMERS + 1))?;
    }
    Ok(())
}

fn stock(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    for i in 1..=ITEMS {
        let r = &mut c.rng;
        let quantity = r.u32(10..=100);
        let districts: Vec<String> = (0..DISTRICTS).map(|_| letters(r, 24, 24)).collect();
        let data = data(r);
        c.row(format_args!("{w}\t{i}\t{quantity}\t{}\t0\t0\t0\t{data}", districts.join("\t")))?;
    }
    Ok(())
}

fn customers(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    for (d, id) in all_customers() {
        let address = c.address();
        let r = &mut c.rng;
        let (first, last, phone) = (letters(r, 8, 16), random::name_of(r, id), digits(r, 16));
        let credit = if r.u32(0..10) == 0 { "BC" } else { "GC" };
        let (discount, data) = (share(r, 5000), letters(r, 300, 500));
        c.row(format_args!(
            "{w}\t{d}\t{id}\t{first}\tOE\t{last}\t{address}\t{phone}\t{AT_FIRST}\t{credit}\t50000.00\t{discount}\t-10.00\t10.00\t1\t0\t{data}"
        ))?;
    }
    Ok(())
}

fn history(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    for (d, id) in all_customers() {
        let data = letters(&mut c.rng, 12, 24);
        c.row(format_args!("{id}\t{d}\t{w}\t{d}\t{w}\t{AT_FIRST}\t10.00\t{data}"))?;
    }
    Ok(())
}

/// Districts, and in each the numbers of its customers, or of its first orders.
fn all_customers() -> impl Iterator<Item = (u32, u32)> {
    (1..=DISTRICTS).flat_map(|d| (1..=CUSTOMERS).map(move |c| (d, c)))
}

/// How many lines each order of a district has, and the customers who placed them, each one. The choices that orders and their lines share.
fn orders_of_district(rng: &mut Rng) -> Vec<(u32, u32)> {
    let mut customers: Vec<u32> = (1..=CUSTOMERS).collect();
    rng.shuffle(&mut customers);
    customers.into_iter().map(|c| (rng.u32(5..=15), c)).collect()
}

fn is_delivered(order: u32) -> bool {
    order <= CUSTOMERS - UNDELIVERED
}

fn orders(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    for d in 1..=DISTRICTS {
        let mut carriers = c.rng.fork();
        for (o, (lines, customer)) in (1..).zip(orders_of_district(&mut c.rng)) {
            let carrier = carriers.u32(1..=10).to_string();
            let carrier = if is_delivered(o) { &carrier } else { NULL };
            c.row(format_args!("{w}\t{d}\t{o}\t{customer}\t{AT_FIRST}\t{carrier}\t{lines}\t1"))?;
        }
    }
    Ok(())
}

fn new_orders(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    for (d, o) in all_customers().filter(|(_, o)| !is_delivered(*o)) {
        c.row(format_args!("{w}\t{d}\t{o}"))?;
    }
    Ok(())
}

fn order_lines(c: &mut Copy<'_>, w: u32) -> Result<(), Error> {
    for d in 1..=DISTRICTS {
        let mut r = c.rng.fork();
        for (o, (lines, _)) in (1..).zip(orders_of_district(&mut c.rng)) {
            for n in 1..=lines {
                let (item, district) = (r.u32(1..=ITEMS), letters(&mut r, 24, 24));
                let (delivered, amount) = if is_delivered(o) {
                    (AT_FIRST, "0.00".to_string())
                } else {
                    (NULL, money(&mut r, 1, 999_999))
                };
                c.row(format_args!("{w}\t{d}\t{o}\t{n}\t{item}\t{w}\t{delivered}\t5\t{amount}\t{district}"))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_lines_are_made_from_the_same_choices() {
        let (mut a, mut b) = (Rng::with_seed(3), Rng::with_seed(3));
        let (_, _) = (a.fork(), b.fork());
        let orders = orders_of_district(&mut a);
        assert_eq!(orders, orders_of_district(&mut b));
        let mut customers: Vec<u32> = orders.iter().map(|(_, c)| *c).collect();
        customers.sort_unstable();
        assert!(customers.into_iter().eq(1..=CUSTOMERS));
        assert!(orders.iter().all(|(lines, _)| (5..=15).contains(lines)));
    }
}
