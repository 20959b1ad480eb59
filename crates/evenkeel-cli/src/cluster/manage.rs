//! `evenkeel cluster status` and `remove`.

use std::io::{Write, stdout};
use std::process::ExitCode;

use evenkeel_cluster::{ClusterUrl, Contact, MemberId, View, ask_to_remove, look_once};
use serde_json::json;

use super::ClusterCommand;
use crate::table::Table;
use crate::{CliError, io_error};

/// Does it.
pub(crate) fn run(command: &ClusterCommand) -> Result<ExitCode, CliError> {
    let text = match command {
        ClusterCommand::Status { url, json } => {
            let view = look(url)?;
            if *json { as_json(&view) } else { as_table(url, &view) }
        }
        ClusterCommand::Remove { url, name } => {
            let view = look(url)?;
            let member = view.config.value.members.iter().find(|(_, n)| *n == name).map(|(id, _)| *id);
            let Some(member) = member else {
                return Err(CliError::Folder(format!("the cluster {url} has no member \"{name}\"")));
            };
            if view.leader.is_some_and(|l| l.member == member) {
                return Err(CliError::Folder(format!(
                    "{name} leads: stop it first, and another one takes over"
                )));
            }
            ask_to_remove(url, member).map_err(|e| away(url, &e))?;
            format!(
                "{name} goes as soon as whoever leads has all that was told on a majority of the others.\n"
            )
        }
    };
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

fn away(url: &ClusterUrl, e: &evenkeel_cluster::StoreError) -> CliError {
    CliError::Folder(format!("the cluster's store {url}: {e}"))
}

fn look(url: &ClusterUrl) -> Result<View, CliError> {
    let view = look_once(url).map_err(|e| away(url, &e))?;
    if view.config.revision == 0 {
        return Err(CliError::Folder(format!(
            "there is no cluster {url} yet: the first server that is started with --cluster {url} founds it"
        )));
    }
    Ok(view)
}

/// Members, and those that are about to be.
fn rows(view: &View) -> Vec<(MemberId, String, &'static str)> {
    let leader = view.leader.map(|l| l.member);
    let config = &view.config.value.members;
    let role = |id: &MemberId| match () {
        () if leader == Some(*id) => "leader",
        () if !view.contacts.contains_key(id) => "away",
        () if config.contains_key(id) => "standby",
        () => "joins",
    };
    let others = view.contacts.iter().filter(|(id, _)| !config.contains_key(id));
    let all = config
        .iter()
        .map(|(id, name)| (*id, name.clone()))
        .chain(others.map(|(id, c)| (*id, c.name.clone())));
    let mut rows: Vec<_> = all.map(|(id, name)| (id, name, role(&id))).collect();
    rows.sort_by(|a, b| a.1.cmp(&b.1));
    rows
}

fn as_table(url: &ClusterUrl, view: &View) -> String {
    let row = |(id, name, role): (MemberId, String, &'static str)| {
        let contact = view.contacts.get(&id);
        let of = |f: &dyn Fn(&Contact) -> String| contact.map(f);
        vec![
            Some(name),
            Some(role.into()),
            of(&|c| c.address.clone()),
            of(&|c| c.lsn.to_string()),
            of(&|c| c.state.clone()),
        ]
    };
    let table = Table {
        headings: ["member", "role", "address", "log", "state"].map(str::to_owned).to_vec(),
        right: vec![false; 5],
        rows: rows(view).into_iter().map(row).collect(),
    };
    let mut text = Vec::new();
    let _ = table.write_aligned(&mut text, false); // into memory
    let config = &view.config.value;
    let led = match view.leader {
        Some(leader) => format!("epoch {}", leader.epoch),
        None => "nobody leads".into(),
    };
    format!(
        "{url}: {led}; whatever is told is on {} of {} members\n\n{}",
        config.quorum(),
        config.members.len(),
        String::from_utf8_lossy(&text)
    )
}

fn as_json(view: &View) -> String {
    let members: Vec<_> = rows(view)
        .into_iter()
        .map(|(id, name, role)| {
            let contact = view.contacts.get(&id);
            json!({
                "name": name,
                "id": id.to_string(),
                "role": role,
                "address": contact.map(|c| c.address.clone()),
                "lsn": contact.map(|c| c.lsn.to_string()),
                "state": contact.map(|c| c.state.clone()),
            })
        })
        .collect();
    let value = json!({
        "epoch": view.leader.map(|l| l.epoch),
        "quorum": view.config.value.quorum(),
        "members": members,
    });
    format!("{value}\n")
}
