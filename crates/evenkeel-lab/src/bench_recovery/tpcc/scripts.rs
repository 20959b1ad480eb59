//! The five transactions as pgbench scripts, with their weights.
//!
//! Invariants
//! 1. Rows are locked in one order: warehouse, district, stock by item, customer. No two transactions wait for each other.
//!
//! It must not know which server runs them.

use std::fmt::Write;

use super::{CUSTOMERS, DISTRICTS, ITEMS};

/// Most lines of an order.
const LINES_MAX: u32 = 15;
/// The name under which pgbench knows the number of warehouses.
pub const WAREHOUSES: &str = "warehouses";

/// A transaction.
pub struct Script {
    /// Its file's name.
    pub name: &'static str,
    /// Of a hundred transactions so many.
    pub weight: u32,
    /// What pgbench runs.
    pub text: String,
}

/// Of the new orders.
pub const NEW_ORDER: &str = "new-order.sql";
/// Of the payments.
pub const PAYMENT: &str = "payment.sql";

/// All of them, in the benchmark's shares.
pub fn all() -> [Script; 5] {
    let one = |name, weight, text| Script { name, weight, text };
    [
        one(NEW_ORDER, 45, new_order()),
        one(PAYMENT, 43, payment()),
        one("order-status.sql", 4, order_status()),
        one("delivery.sql", 4, delivery()),
        one("stock-level.sql", 4, stock_level()),
    ]
}

/// Any warehouse, any district of it.
fn place() -> String {
    format!("\\set w random(1, :{WAREHOUSES})\n\\set d random(1, {DISTRICTS})\n")
}

/// The benchmark's uneven choice of a customer (2.1.6).
fn customer() -> String {
    format!("\\set c ((random(0, 1023) | random(1, {CUSTOMERS})) + 123) % {CUSTOMERS} + 1\n")
}

fn new_order() -> String {
    let mut s = place() + &customer() + "\\set lines random(5, 15)\n";
    // Ascending, whatever the number of lines: each comes from its own part of the catalogue.
    let part = ITEMS / LINES_MAX;
    for n in 1..=LINES_MAX {
        let (from, to) = ((n - 1) * part + 1, n * part);
        let _ = writeln!(s, "\\set i{n} random({from}, {to})\n\\set q{n} random(1, 10)");
        let _ =
            writeln!(s, "\\set s{n} CASE WHEN random(1, 100) = 1 THEN random(1, :{WAREHOUSES}) ELSE :w END");
    }
    s += "BEGIN;\n\
          SELECT w_tax, c_discount, c_last, c_credit FROM warehouse, customer WHERE w_id = :w AND c_w_id = :w AND c_d_id = :d AND c_id = :c;\n\
          UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d RETURNING d_next_o_id - 1 AS o \\gset\n\
          INSERT INTO orders VALUES (:w, :d, :o, :c, CURRENT_TIMESTAMP, NULL, :lines, 1);\n\
          INSERT INTO new_order VALUES (:w, :d, :o);\n";
    for n in 1..=LINES_MAX {
        let always = n <= 5;
        if !always {
            let _ = writeln!(s, "\\if :lines >= {n}");
        }
        let _ = write!(
            s,
            "SELECT i_price AS price FROM item WHERE i_id = :i{n} \\gset\n\
             UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :q{n} + 10 THEN s_quantity - :q{n} ELSE s_quantity - :q{n} + 91 END, s_ytd = s_ytd + :q{n}, \
             s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + CASE WHEN s_w_id = :w THEN 0 ELSE 1 END WHERE s_w_id = :s{n} AND s_i_id = :i{n};\n\
             \\set amount :q{n} * :price\n\
             INSERT INTO order_line VALUES (:w, :d, :o, {n}, :i{n}, :s{n}, NULL, :q{n}, :amount, 'for this very district..');\n"
        );
        if !always {
            s += "\\endif\n";
        }
    }
    s + "COMMIT;\n"
}

fn payment() -> String {
    place()
        + &customer()
        + &format!(
            "\\set far random(1, 100)\n\
             \\set cw CASE WHEN :far <= 15 THEN random(1, :{WAREHOUSES}) ELSE :w END\n\
             \\set cd CASE WHEN :far <= 15 THEN random(1, {DISTRICTS}) ELSE :d END\n\
             \\set n ((random(0, 255) | random(0, 999)) + 173) % 1000\n\
             \\set named random(1, 100)\n\
             \\set cents random(100, 500000)\n\
             \\set h :cents / 100.0\n\
             BEGIN;\n\
             UPDATE warehouse SET w_ytd = w_ytd + :h WHERE w_id = :w RETURNING w_name, w_street, w_city;\n\
             UPDATE district SET d_ytd = d_ytd + :h WHERE d_w_id = :w AND d_id = :d RETURNING d_name, d_street, d_city;\n\
             \\if :named <= 60\n\
             SELECT c_id AS c FROM customer WHERE c_w_id = :cw AND c_d_id = :cd AND c_last = 'NAME' || :n::text ORDER BY c_first LIMIT 1 \\gset\n\
             \\endif\n\
             UPDATE customer SET c_balance = c_balance - :h, c_ytd_payment = c_ytd_payment + :h, c_payment_cnt = c_payment_cnt + 1, \
             c_data = CASE WHEN c_credit = 'BC' THEN substr(c_id::text || ' ' || :h::text || ' ' || c_data, 1, 500) ELSE c_data END \
             WHERE c_w_id = :cw AND c_d_id = :cd AND c_id = :c RETURNING c_first, c_last, c_balance;\n\
             INSERT INTO history VALUES (:c, :cd, :cw, :d, :w, CURRENT_TIMESTAMP, :h, 'a payment');\n\
             COMMIT;\n"
        )
}

fn order_status() -> String {
    place()
        + &customer()
        + "BEGIN;\n\
           SELECT c_first, c_last, c_balance FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;\n\
           SELECT o_id AS o FROM orders WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c ORDER BY o_id DESC LIMIT 1 \\gset\n\
           SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;\n\
           COMMIT;\n"
}

fn delivery() -> String {
    let mut s = format!("\\set w random(1, :{WAREHOUSES})\n\\set carrier random(1, 10)\nBEGIN;\n");
    // One delivery of a warehouse at a time: two would find the same oldest order.
    s += "SELECT w_id FROM warehouse WHERE w_id = :w FOR UPDATE;\n";
    for d in 1..=DISTRICTS {
        let at = format!("ol_w_id = :w AND ol_d_id = {d} AND ol_o_id = :o");
        let _ = write!(
            s,
            "SELECT coalesce((SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = {d} ORDER BY no_o_id LIMIT 1), 0) AS o \\gset\n\
             \\if :o > 0\n\
             DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = {d} AND no_o_id = :o;\n\
             UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w AND o_d_id = {d} AND o_id = :o RETURNING o_c_id AS c \\gset\n\
             UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE {at};\n\
             SELECT sum(ol_amount) AS amount FROM order_line WHERE {at} \\gset\n\
             UPDATE customer SET c_balance = c_balance + :amount, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = :w AND c_d_id = {d} AND c_id = :c;\n\
             \\endif\n"
        );
    }
    s + "COMMIT;\n"
}

fn stock_level() -> String {
    place()
        + "\\set least random(10, 20)\n\
           SELECT d_next_o_id AS o FROM district WHERE d_w_id = :w AND d_id = :d \\gset\n\
           \\set from :o - 20\n\
           SELECT count(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id >= :from AND ol_o_id < :o \
           AND s_w_id = :w AND s_i_id = ol_i_id AND s_quantity < :least;\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_a_hundred() {
        assert_eq!(all().iter().map(|s| s.weight).sum::<u32>(), 100);
    }

    #[test]
    fn items_of_an_order_ascend() {
        let text = new_order();
        let ranges: Vec<u32> = text
            .lines()
            .filter_map(|l| l.strip_prefix("\\set i")?.split_once("random(")?.1.strip_suffix(')'))
            .flat_map(|r| r.split(", ").map(|n| n.parse().unwrap()).collect::<Vec<u32>>())
            .collect();
        assert_eq!(ranges.len(), 2 * LINES_MAX as usize);
        assert!(ranges.is_sorted() && *ranges.last().unwrap() <= ITEMS);
        assert_eq!(text.matches("\\if").count(), text.matches("\\endif").count());
    }
}
