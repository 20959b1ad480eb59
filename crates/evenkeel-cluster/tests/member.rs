//! A member alone, event by event: what the simulation meets too seldom, or could not tell apart from luck.

use std::time::Duration;

use evenkeel::Lsn;
use evenkeel_cluster::{
    Action, Config, Contact, Election, Event, Kept, Leader, Member, MemberId, Role, Standing, View, Vote,
    Write,
};

const ME: MemberId = MemberId(1);
const OTHERS: [MemberId; 2] = [MemberId(2), MemberId(3)];
const SESSION: u64 = 77;
const LEADER: Leader = Leader { member: ME, session: SESSION, epoch: 1 };

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

struct Alone {
    member: Member,
    view: View,
    now: Duration,
}

impl Alone {
    fn new() -> Alone {
        let members = [ME, OTHERS[0], OTHERS[1]].map(|id| (id, format!("m{id}"))).into();
        let config = Kept { value: Config { database_id: 1, members }, revision: 1 };
        let election = Kept { value: Election { epoch: 1, ..Election::default() }, revision: 2 };
        let view = View { revision: 2, config, election, ..View::default() };
        let mut alone = Alone { member: Member::new(ME, SESSION, 0, None), view, now: at(1) };
        alone.step(Event::Leased(at(1000)));
        alone
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        self.member.step(event, self.now)
    }

    /// The store shows this.
    fn sees(&mut self, change: impl FnOnce(&mut View)) -> Vec<Action> {
        change(&mut self.view);
        self.view.revision += 1;
        self.step(Event::Saw(self.view.clone()))
    }

    /// Votes are cast, and the store says that it leads. Nobody follows it yet.
    fn wins(&mut self) -> Vec<Action> {
        let standing = Standing { log_epoch: 0, lsn: Lsn(5), is_whole: true };
        let vote = Vote { epoch: 1, log_epoch: 0, lsn: Lsn(5), is_whole: true };
        assert_eq!(self.sees(|_| ()), [Action::Promise(1)]);
        assert_eq!(self.step(Event::Promised(1, standing)), [Action::Write(Write::Vote(vote))]);
        let claims = self.sees(|view| {
            view.votes = [
                (ME, vote),
                (OTHERS[0], Vote { lsn: Lsn(4), ..vote }),
                (OTHERS[1], Vote { lsn: Lsn(3), ..vote }),
            ]
            .into();
        });
        assert_eq!(claims, [Action::Write(Write::Lead { leader: LEADER, election: 2 })]);
        self.sees(|view| {
            view.leader = Some(LEADER);
            view.election = Kept { value: Election::won(&LEADER), revision: 3 };
        })
    }

    fn leads(&mut self) {
        self.wins();
        let takes = self.sees(|view| _ = view.follows.insert(OTHERS[0], LEADER));
        assert!(takes.iter().any(|a| matches!(a, Action::TakeOver { epoch: 1, .. })), "{takes:?}");
        self.step(Event::TookOver(1, true));
        assert_eq!(self.member.role(), Role::Leader(1));
    }
}

fn misses(epoch: u64) -> Contact {
    Contact { misses: Some(epoch), ..Contact::default() }
}

#[test]
fn a_winner_waits_until_a_voter_says_that_its_vote_still_holds() {
    let mut alone = Alone::new();
    assert_eq!(alone.wins(), []);
    let of_another_start = Leader { session: 1, ..LEADER };
    assert_eq!(alone.sees(|view| _ = view.follows.insert(OTHERS[0], of_another_start)), []);
    alone.now = at(3);
    assert_eq!(alone.sees(|_| ()), [Action::Write(Write::Resign(LEADER))], "nobody came");
}

#[test]
fn who_leads_and_is_not_reached_gives_way_for_a_while() {
    let mut alone = Alone::new();
    alone.leads();
    assert_eq!(alone.sees(|view| _ = view.contacts.insert(OTHERS[0], misses(1))), []);
    // Of an earlier leader.
    assert_eq!(alone.sees(|view| _ = view.contacts.insert(OTHERS[1], misses(0))), []);
    let gone = alone.sees(|view| _ = view.contacts.insert(OTHERS[1], misses(1)));
    assert_eq!(gone, [Action::StepDown, Action::Write(Write::Resign(LEADER))]);
    assert_eq!(alone.step(Event::SteppedDown), [Action::Write(Write::Resign(LEADER))], "until it is seen");
    assert_eq!(alone.sees(|view| view.leader = None), [], "the others elect");
    alone.now = at(12);
    let elects = alone.sees(|_| ());
    assert!(matches!(elects[..], [Action::Write(Write::Elect { .. })]), "{elects:?}");
}

#[test]
fn who_leads_while_a_member_has_promised_a_later_epoch_is_elected_again() {
    let mut alone = Alone::new();
    alone.leads();
    let gone =
        alone.sees(|view| _ = view.contacts.insert(OTHERS[1], Contact { promised: 2, ..Contact::default() }));
    assert_eq!(gone, [Action::StepDown, Action::Write(Write::Resign(LEADER))]);
}

#[test]
fn two_that_are_the_same_member_do_not_both_lead() {
    let mut alone = Alone::new();
    alone.leads();
    assert_eq!(alone.step(Event::Replaced), [Action::StepDown, Action::Write(Write::Resign(LEADER))]);
}

#[test]
fn of_an_epoch_one_leader_is_followed_also_when_the_store_is_set_back() {
    let mut alone = Alone::new();
    let first = Leader { member: OTHERS[0], session: 1, epoch: 4 };
    assert_eq!(alone.sees(|view| view.leader = Some(first)), [Action::Follow(Some(first))]);
    assert_eq!(alone.step(Event::StoreSetBack), [Action::Follow(None)]);
    alone.view.revision = 1;
    let second = Leader { member: OTHERS[1], session: 2, epoch: 4 };
    assert_eq!(alone.sees(|view| view.leader = Some(second)), [Action::Promise(5)]);
    let later = Leader { epoch: 5, ..second };
    assert_eq!(alone.sees(|view| view.leader = Some(later)), [Action::Follow(Some(later))]);
}
