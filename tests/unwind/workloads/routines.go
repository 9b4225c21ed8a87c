// SPDX-License-Identifier: BSD-2-Clause

// Goroutines, growing stacks, garbage, system calls and signals: the runtime switches stacks for all of them.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
)

//go:noinline
func leaf(n int) int {
	sum := 0
	for i := 0; i < 3000; i++ {
		sum += i ^ n
	}
	return sum
}

//go:noinline
func recursion(depth, n int) int {
	if depth == 0 {
		return leaf(n)
	}
	return recursion(depth-1, n) + 1
}

//go:noinline
func grows(depth int) int {
	var room [512]byte
	room[depth%512] = 1
	if depth == 0 {
		return int(room[3])
	}
	return grows(depth-1) + int(room[depth%512])
}

func garbage(n int) int {
	lists := map[string][]int{}
	for i := 0; i < 200; i++ {
		lists[strconv.Itoa(i*n)] = make([]int, 100)
	}
	keys := make([]string, 0, len(lists))
	for key := range lists {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return len(keys)
}

func panics(n int) (sum int) {
	defer func() { sum += len(fmt.Sprint(recover())) }()
	if n >= 0 {
		panic("on purpose " + strconv.Itoa(n))
	}
	return 0
}

func main() {
	rounds := 300
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	var wait sync.WaitGroup
	results := make(chan int, 4)
	for g := 0; g < 4; g++ {
		wait.Add(1)
		go func(g int) {
			defer wait.Done()
			for i := 0; i < rounds; i++ {
				sum := recursion(10, i) + garbage(i) + panics(i)
				if i%20 == 0 {
					runtime.GC()
					done := make(chan int)
					go func() { done <- grows(1000) }()
					sum += <-done
				}
				os.Stdout.Stat()
				results <- sum
			}
		}(g)
	}
	go func() { wait.Wait(); close(results) }()
	sum := 0
	for result := range results {
		sum += result
	}
	fmt.Println(sum)
}
