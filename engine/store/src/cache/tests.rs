//! The store under normal use, under corruption, at every fault and crash, and with several users.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::ErrorKind;
use crate::fs::{Fault, FaultFileSystem, FileSystem, MemoryFileSystem};

fn store_on(fs: Arc<dyn FileSystem>) -> ContentStore {
    ContentStore::open(&Directory::new(fs, b"w"), Durability::Synced)
}

fn store(fs: &MemoryFileSystem) -> ContentStore {
    store_on(Arc::new(fs.clone()))
}

fn work() -> MemoryFileSystem {
    let fs = MemoryFileSystem::new();
    fs.directory(b"w");
    fs
}

fn blob(number: u8, length: usize) -> (ContentHash, Vec<u8>) {
    (ContentHash::of(&[number]), vec![number; length])
}

fn segments(places: &[BlobRef]) -> Vec<u64> {
    places.iter().map(|place| place.segment).collect()
}

/// A store with two segments of two blobs each, and the state `first`.
fn filled() -> (MemoryFileSystem, Vec<(ContentHash, BlobRef)>) {
    let fs = work();
    let store = store(&fs);
    let mut live = Vec::new();
    for blobs in [[blob(1, 100), blob(2, 0)], [blob(3, 1_000), blob(4, 7)]] {
        let places = store.append_blobs(&blobs).unwrap();
        live.extend(blobs.iter().map(|(key, _)| *key).zip(places));
    }
    let (_, base) = store.read_state();
    let places: Vec<BlobRef> = live.iter().map(|(_, place)| *place).collect();
    assert!(matches!(store.commit(base, b"first", &segments(&places)), Commit::Done(_)));
    (fs, live)
}

#[test]
fn blobs_and_states_come_back() {
    let (fs, live) = filled();
    let store = store(&fs);
    let (state, version) = store.read_state();
    assert_eq!(state.as_deref(), Some(b"first".as_slice()));
    assert_eq!(store.read_blob(&live[0].1, live[0].0), Some(vec![1; 100]));
    assert_eq!(store.read_blob(&live[1].1, live[1].0), Some(Vec::new()));
    assert_eq!(store.read_blob(&live[2].1, live[2].0), Some(vec![3; 1_000]));
    assert_eq!(store.read_blob(&live[0].1, live[1].0), None, "another key");
    let Commit::Done(next) = store.commit(version, b"second", &[live[3].1.segment]) else {
        panic!("nobody else")
    };
    assert_ne!(next, version);
    assert_eq!(store.read_state().0.as_deref(), Some(b"second".as_slice()));
    let names: Vec<String> =
        fs.files(b"w").into_keys().map(|name| String::from_utf8(name).unwrap()).collect();
    let segment = format!("w/cache/segments/{:016x}", live[3].1.segment);
    let state = format!("w/cache/state-{}", &ContentHash::of(b"second").to_hex()[..16]);
    assert_eq!(names, ["w/cache/HEAD".to_owned(), "w/cache/lock".to_owned(), segment, state]);
    assert!(store.take_warning().is_none());
}

#[test]
fn a_commit_that_lost_the_race_changes_nothing() {
    let (fs, live) = filled();
    let (one, two) = (store(&fs), store(&fs));
    let (base_one, base_two) = (one.read_state().1, two.read_state().1);
    let appended = two.append_blobs(&[blob(9, 9)]).unwrap();
    let kept: Vec<u64> = live.iter().map(|(_, place)| place.segment).collect();
    assert!(matches!(one.commit(base_one, b"one", &kept), Commit::Done(_)));
    assert_eq!(two.commit(base_two, b"two", &kept), Commit::LostRace);
    assert_eq!(two.read_state().0.as_deref(), Some(b"one".as_slice()));
    assert_eq!(two.read_blob(&appended[0], blob(9, 9).0), Some(vec![9; 9]), "not swept by the winner");
    let again = two.read_state().1;
    let all: Vec<u64> = kept.into_iter().chain(segments(&appended)).collect();
    assert!(matches!(two.commit(again, b"both", &all), Commit::Done(_)));
    assert_eq!(one.read_state().0.as_deref(), Some(b"both".as_slice()));
    assert_eq!(fs.files(b"w/cache/writers").len(), 0);
}

#[test]
fn what_a_dead_writer_left_goes_with_the_next_commit() {
    let (fs, live) = filled();
    let dead = store(&fs);
    dead.append_blobs(&[blob(9, 9)]).unwrap();
    let left = fs.snapshot();
    left.write(b"w/cache/.bindery-tmp-1f-0", b"half");
    left.write(b"w/cache/segments/.bindery-tmp-1f-1", b"half");
    left.write(b"w/cache/state-0123456789abcdef", b"never named");
    assert_eq!(left.files(b"w/cache/segments").len(), 4);
    let next = store(&left);
    let kept: Vec<u64> = live.iter().map(|(_, place)| place.segment).collect();
    assert!(matches!(next.commit(next.read_state().1, b"second", &kept), Commit::Done(_)));
    drop(next);
    let expected = {
        let clean = store(&fs);
        drop(dead);
        assert!(matches!(clean.commit(clean.read_state().1, b"second", &kept), Commit::Done(_)));
        drop(clean);
        // The lock file keeps the name of its last holder, which is this process in both.
        fs.digest(b"w")
    };
    assert_eq!(left.digest(b"w"), expected);
}

/// Every state the store may be in after an update that was broken off: the old one or the new one, whole.
fn assert_consistent(fs: &MemoryFileSystem, live: &[(ContentHash, BlobRef)], what: &str) {
    let store = store(fs);
    let (state, version) = store.read_state();
    let state = state.unwrap_or_else(|| panic!("{what}: there was a state before"));
    assert!([b"first".as_slice(), b"second"].contains(&&*state), "{what}");
    if state == b"first" {
        for (key, place) in live {
            assert!(store.read_blob(place, *key).is_some(), "{what}: the old state's blobs are there");
        }
    }
    // And the next update works and leaves nothing behind.
    let places = store.append_blobs(&[blob(7, 70)]).unwrap();
    assert!(matches!(store.commit(version, b"third", &segments(&places)), Commit::Done(_)), "{what}");
    drop(store);
    assert_eq!(fs.files(b"w").len(), 4, "{what}: HEAD, lock, state, one segment");
    assert_eq!(store_on(Arc::new(fs.clone())).verify().bad, Vec::<String>::new(), "{what}");
}

/// One update: a new segment, and a state that needs it and one of the old ones.
fn update(store: &ContentStore, live: &[(ContentHash, BlobRef)]) -> Commit {
    let (_, base) = store.read_state();
    match store.append_blobs(&[blob(5, 50), blob(6, 60)]) {
        Some(places) => store.commit(base, b"second", &[places[0].segment, live[0].1.segment]),
        None => Commit::Unavailable,
    }
}

#[test]
fn a_crash_at_any_write_leaves_the_old_state_or_the_new_one() {
    let (before, live) = filled();
    for number in 1.. {
        let fs = before.snapshot();
        let faulty = FaultFileSystem::new(Arc::new(fs.clone()), Fault::CrashAtWrite(number));
        let store = store_on(Arc::new(faulty));
        let outcome = update(&store, &live);
        let warning = store.take_warning();
        drop(store);
        assert_consistent(&fs, &live, &format!("crash at write {number}"));
        if matches!(outcome, Commit::Done(_)) && warning.is_none() && number > 30 {
            break;
        }
    }
}

#[test]
fn every_single_failure_costs_at_most_one_warning() {
    let (before, live) = filled();
    for kind in [ErrorKind::NoSpace, ErrorKind::Io, ErrorKind::TooManyOpenFiles, ErrorKind::PermissionDenied]
    {
        for (number, lasting) in (1..60).flat_map(|number| [(number, false), (number, true)]) {
            let fs = before.snapshot();
            let fault = match lasting {
                true => Fault::FailFrom(number, kind),
                false => Fault::FailCall(number, kind),
            };
            let store = store_on(Arc::new(FaultFileSystem::new(Arc::new(fs.clone()), fault)));
            let outcome = update(&store, &live);
            let warned = store.take_warning().is_some();
            assert_eq!(warned, outcome == Commit::Unavailable, "{fault:?}: {outcome:?}");
            assert!(store.take_warning().is_none());
            drop(store);
            assert_consistent(&fs, &live, &format!("{fault:?}"));
        }
    }
}

#[test]
fn a_read_only_cache_is_read_and_complains_once() {
    let (fs, live) = filled();
    fs.set_read_only(true);
    let store = store(&fs);
    assert_eq!(store.read_state().0.as_deref(), Some(b"first".as_slice()));
    assert!(store.read_blob(&live[0].1, live[0].0).is_some());
    assert!(store.take_warning().is_none(), "reading is no reason to complain");
    assert_eq!(update(&store, &live), Commit::Unavailable);
    assert_eq!(store.append_blobs(&[blob(1, 1)]), None);
    assert_eq!(store.gc(), 0);
    assert_eq!(store.take_warning().map(|warning| warning.kind), Some(ErrorKind::ReadOnly));
    assert!(store.take_warning().is_none());
}

#[test]
fn an_empty_store_knows_nothing_and_says_so() {
    let store = store(&MemoryFileSystem::new());
    assert_eq!(store.read_state(), (None, HeadVersion(None)));
    assert_eq!(store.read_blob(&BlobRef { segment: 1, offset: 0, length: 1 }, ContentHash::of(b"")), None);
    assert_eq!((store.stats(), store.verify()), (StoreStats::default(), StoreCheck::default()));
    assert_eq!(store.append_blobs(&[]), Some(Vec::new()));
}

/// Whatever happened to the files, what comes out is what was put in, or nothing.
fn assert_no_lies(fs: &MemoryFileSystem, live: &[(ContentHash, BlobRef)], what: &str) {
    let store = store(fs);
    let (state, version) = store.read_state();
    assert!(state.is_none_or(|state| state == b"first"), "{what}");
    for (number, (key, place)) in live.iter().enumerate() {
        let length = [100, 0, 1_000, 7][number];
        let blob = store.read_blob(place, *key);
        assert!(blob.is_none_or(|blob| blob == vec![number as u8 + 1; length]), "{what}");
    }
    store.stats();
    store.verify();
    assert!(matches!(store.commit(version, b"second", &[]), Commit::Done(_)), "{what}: it can be replaced");
    assert_eq!(store.read_state().0.as_deref(), Some(b"second".as_slice()), "{what}");
}

#[test]
fn no_flipped_bit_gets_through() {
    let (before, live) = filled();
    for (path, bytes) in before.files(b"w/cache") {
        for position in 0..bytes.len() {
            let fs = before.snapshot();
            let mut flipped = bytes.to_vec();
            flipped[position] ^= 1 << (position % 8);
            fs.write(&path, &flipped);
            assert_no_lies(
                &fs,
                &live,
                &format!("{}: bit in byte {position}", String::from_utf8_lossy(&path)),
            );
        }
    }
}

#[test]
fn neither_does_any_other_damage() {
    let (before, live) = filled();
    let files = before.files(b"w/cache");
    for (path, bytes) in &files {
        let shown = String::from_utf8_lossy(path);
        for length in 0..bytes.len() {
            let fs = before.snapshot();
            fs.write(path, &bytes[..length]);
            assert_no_lies(&fs, &live, &format!("{shown}: cut to {length}"));
        }
        let zeroes = vec![0; bytes.len()];
        let huge = [&bytes[..bytes.len().min(8)], &[0xFF; 64], &bytes[..]].concat();
        let longer = [bytes, b"more".as_slice()].concat();
        for damaged in [zeroes.as_slice(), &huge, &longer, b"{\"version\": 99}"] {
            let fs = before.snapshot();
            fs.write(path, damaged);
            assert_no_lies(&fs, &live, &format!("{shown}: rewritten"));
        }
        for (other, other_bytes) in &files {
            let fs = before.snapshot();
            fs.write(path, other_bytes);
            fs.write(other, bytes);
            assert_no_lies(&fs, &live, &format!("{shown} and {} swapped", String::from_utf8_lossy(other)));
        }
        for make in [MemoryFileSystem::remove, MemoryFileSystem::directory, MemoryFileSystem::special] {
            let fs = before.snapshot();
            make(&fs, path);
            // A lock that is no file puts the store out of use, which is no lie.
            if !path.ends_with(b"lock") && !path.ends_with(b"HEAD") && !shown.contains("state") {
                assert_no_lies(&fs, &live, &format!("{shown}: replaced"));
            } else {
                let store = store(&fs);
                assert!(store.read_state().0.is_none_or(|state| state == b"first"));
                let _ = store.commit(store.read_state().1, b"second", &[]);
            }
        }
    }
}

#[test]
fn impossible_places_are_misses_and_cost_no_memory() {
    let (fs, live) = filled();
    let store = store(&fs);
    let (key, place) = live[0];
    for wrong in [
        BlobRef { length: u64::MAX, ..place },
        BlobRef { length: 1 << 60, ..place },
        BlobRef { length: place.length + 1, ..place },
        BlobRef { length: place.length - 1, ..place },
        BlobRef { offset: u64::MAX, ..place },
        BlobRef { offset: place.offset + 1, ..place },
        BlobRef { segment: place.segment ^ 1, ..place },
    ] {
        assert_eq!(store.read_blob(&wrong, key), None, "{wrong:?}");
    }
}

#[test]
fn verify_finds_what_is_damaged_and_counts_what_is_good() {
    let (fs, live) = filled();
    assert_eq!(store(&fs).verify(), StoreCheck { good: 5, bad: Vec::new() });
    let path = format!("w/cache/segments/{:016x}", live[2].1.segment);
    let mut bytes = fs.contents(path.as_bytes()).unwrap().to_vec();
    bytes[200] ^= 1;
    fs.write(path.as_bytes(), &bytes);
    assert_eq!(store(&fs).verify(), StoreCheck { good: 4, bad: vec![format!("{path}, byte 8")] });
}

#[test]
fn stats_count_files_and_bytes() {
    let (fs, live) = filled();
    let mut expected: u64 = 2 * 8;
    expected += live.iter().map(|(_, place)| records::record_length(place.length)).sum::<u64>();
    let stats = store(&fs).stats();
    assert_eq!((stats.segments, stats.segment_bytes, stats.unused_segments), (2, expected, 0));
    assert_eq!(stats.state_bytes, 8 + 8 + 32 + 5);
}

/// Compacts a store of which `live` is in use, and follows every blob to its new place.
fn compacted(store: &ContentStore, live: &[(ContentHash, BlobRef)]) -> Option<Vec<BlobRef>> {
    let blobs: BTreeSet<(BlobRef, ContentHash)> = live.iter().map(|(key, place)| (*place, *key)).collect();
    let mut used: BTreeMap<u64, u64> = BTreeMap::new();
    for (place, _) in &blobs {
        *used.entry(place.segment).or_default() += place.length_on_disk();
    }
    let moved = store.compact(&used, |segments| {
        let within = blobs.iter().filter(|(place, _)| segments.contains(&place.segment));
        within.map(|(place, key)| (*key, *place)).collect()
    })?;
    let moved: BTreeMap<BlobRef, BlobRef> = moved.into_iter().map(|(_, from, to)| (from, to)).collect();
    Some(live.iter().map(|(_, place)| *moved.get(place).unwrap_or(place)).collect())
}

#[test]
fn compaction_moves_live_blobs_out_of_segments_full_of_holes() {
    let (fs, live) = filled();
    let store = store(&fs);
    assert_eq!(compacted(&store, &live), None, "no holes yet");
    // Blob 3, 1,000 of the second segment's bytes, is no longer needed; the first segment is.
    let kept = [live[0], live[3], live[1], live[3]];
    let places = compacted(&store, &kept).unwrap();
    assert_eq!((places[0], places[2]), (live[0].1, live[1].1), "the full segment stays as it is");
    assert_ne!(places[1].segment, live[3].1.segment);
    assert_eq!(places[1], places[3]);
    assert_eq!(store.read_blob(&places[1], live[3].0), Some(vec![4; 7]));
    let base = store.read_state().1;
    assert!(matches!(store.commit(base, b"second", &segments(&places)), Commit::Done(_)));
    let stats = store.stats();
    assert_eq!((stats.segments, stats.unused_segments), (2, 0));
    assert!(stats.segment_bytes < 500);
}

#[test]
fn many_small_segments_are_joined() {
    let fs = work();
    let store = store(&fs);
    let mut live = Vec::new();
    for number in 0..40 {
        let blobs = [blob(number, 10)];
        live.push((blobs[0].0, store.append_blobs(&blobs).unwrap()[0]));
    }
    let places = compacted(&store, &live).unwrap();
    assert_eq!(places.iter().map(|place| place.segment).collect::<BTreeSet<_>>().len(), 1);
    for (number, (place, (key, _))) in places.iter().zip(&live).enumerate() {
        assert_eq!(store.read_blob(place, *key), Some(vec![number as u8; 10]));
    }
}

#[test]
fn collecting_garbage_spares_what_is_being_written() {
    let (fs, live) = filled();
    let writer = store(&fs);
    let pending = writer.append_blobs(&[blob(8, 80)]).unwrap();
    let other = store(&fs);
    assert_eq!((other.gc(), writer.gc()), (0, 0));
    assert!(other.read_blob(&pending[0], blob(8, 80).0).is_some());
    drop(writer);
    assert_eq!(other.gc(), 8 + records::record_length(80));
    assert!(store(&fs).read_blob(&live[0].1, live[0].0).is_some());
    assert!(other.clear() > 1_000);
    let names: Vec<Vec<u8>> = fs.files(b"w").into_keys().collect();
    assert_eq!(names, [b"w/cache/lock".to_vec()]);
    assert_eq!(store(&fs).read_state().0, None);
}

#[test]
fn threads_racing_on_one_cache_lose_nothing_that_was_committed() {
    let fs = work();
    let rounds = 25_u8;
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let fs = fs.clone();
            scope.spawn(move || {
                let store = store(&fs);
                for round in 0..rounds {
                    let key = ContentHash::of(&[thread, round]);
                    let place = store.append_blobs(&[(key, vec![thread; 20])]).unwrap()[0];
                    add_to_state(&store, thread, round, place);
                }
            });
        }
    });
    let store = store(&fs);
    let entries = decode(&store.read_state().0.unwrap());
    assert_eq!(entries.len(), 4 * usize::from(rounds));
    for (thread, round, place) in entries {
        assert_eq!(store.read_blob(&place, ContentHash::of(&[thread, round])), Some(vec![thread; 20]));
    }
    assert_eq!(store.verify().bad, Vec::<String>::new());
}

/// Adds one entry to whatever the state is by now, as a driver that lost a race does.
fn add_to_state(store: &ContentStore, thread: u8, round: u8, place: BlobRef) {
    loop {
        let (state, base) = store.read_state();
        let mut entries = decode(&state.unwrap_or_default());
        entries.push((thread, round, place));
        let live: Vec<u64> = entries.iter().map(|(_, _, place)| place.segment).collect();
        match store.commit(base, &encode(&entries), &live) {
            Commit::Done(_) => return,
            Commit::LostRace => {}
            Commit::Unavailable => panic!("{:?}", store.take_warning()),
        }
    }
}

fn encode(entries: &[(u8, u8, BlobRef)]) -> Vec<u8> {
    let entry = |(thread, round, place): &(u8, u8, BlobRef)| {
        let numbers = [place.segment, place.offset, place.length].map(u64::to_le_bytes).concat();
        [&[*thread, *round], numbers.as_slice()].concat()
    };
    entries.iter().flat_map(entry).collect()
}

fn decode(state: &[u8]) -> Vec<(u8, u8, BlobRef)> {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let entry = |bytes: &[u8]| {
        let place = BlobRef {
            segment: number(&bytes[2..10]),
            offset: number(&bytes[10..18]),
            length: number(&bytes[18..26]),
        };
        (bytes[0], bytes[1], place)
    };
    state.chunks(26).map(entry).collect()
}
