// SPDX-License-Identifier: BSD-2-Clause
//! Count events in a region of this program.
//!
//!     rustc region.rs -L native=DIRECTORY -l tally
use std::ffi::{c_char, c_int, c_void, CString};
use std::ptr::{null, null_mut};

#[repr(C)]
#[derive(Default)]
struct Count {
    value: u64,
    enabled: u64,
    running: u64,
    lost: u64,
    quality: c_int,
}

extern "C" {
    fn tally_regions_open(events: *const c_char, options: *const c_void, regions: *mut *mut c_void, error: *mut c_void) -> c_int;
    fn tally_region_start(regions: *mut c_void, name: *const c_char) -> c_int;
    fn tally_region_stop(regions: *mut c_void) -> c_int;
    fn tally_regions_count(regions: *const c_void, region: usize, event: usize, count: *mut Count) -> c_int;
    fn tally_regions_close(regions: *mut c_void);
}

fn main() {
    let events = CString::new("task-clock:u").unwrap();
    let name = CString::new("sum").unwrap();
    let mut regions = null_mut();
    let mut count = Count::default();
    let ret = unsafe { tally_regions_open(events.as_ptr(), null(), &mut regions, null_mut()) };
    assert_eq!(ret, 0, "not counted");
    unsafe { tally_region_start(regions, name.as_ptr()) };
    let sum: u64 = (0..1_000_000u64).map(|i| std::hint::black_box(i) * i).fold(0, u64::wrapping_add);
    unsafe {
        tally_region_stop(regions);
        tally_regions_count(regions, 0, 0, &mut count);
        tally_regions_close(regions);
    }
    println!("sum {}: {} ns, quality {}", sum, count.value, count.quality);
}
