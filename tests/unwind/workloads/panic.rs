// SPDX-License-Identifier: BSD-2-Clause
// Closures, iterators, trait objects, and panics that are caught.
use std::collections::BTreeMap;
use std::panic;

trait Shape {
    fn area(&self, depth: u64) -> u64;
}
struct Square(u64);
struct Box2(Box<dyn Shape>);
impl Shape for Square {
    #[inline(never)]
    fn area(&self, depth: u64) -> u64 {
        (0..depth).map(|x| x.wrapping_mul(self.0)).filter(|x| x % 3 != 0).sum()
    }
}
impl Shape for Box2 {
    #[inline(never)]
    fn area(&self, depth: u64) -> u64 {
        self.0.area(depth + 1) + 1
    }
}

#[inline(never)]
fn sorted(n: u64) -> u64 {
    let mut map = BTreeMap::new();
    let mut list: Vec<String> = (0..50).map(|i| format!("{}", (i * n) % 97)).collect();
    list.sort_by(|a, b| b.cmp(a));
    for text in list {
        *map.entry(text.len()).or_insert(0) += 1;
    }
    map.values().sum()
}

#[inline(never)]
fn fails(depth: u64) -> u64 {
    if depth == 0 {
        panic!("on purpose");
    }
    fails(depth - 1) + 1
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|x| x.parse().ok()).unwrap_or(2000);
    let shape: Box<dyn Shape> = Box::new(Box2(Box::new(Box2(Box::new(Square(7))))));
    let mut sum = 0u64;
    panic::set_hook(Box::new(|_| {}));
    for i in 0..rounds {
        sum = sum.wrapping_add(shape.area(100 + i % 7)).wrapping_add(sorted(i));
        sum += panic::catch_unwind(|| fails(5)).is_err() as u64;
    }
    let threads: Vec<_> = (0..2).map(|i| std::thread::spawn(move || (0..rounds).map(|n| sorted(n + i)).sum::<u64>())).collect();
    for thread in threads {
        sum = sum.wrapping_add(thread.join().unwrap());
    }
    println!("{}", sum);
}
