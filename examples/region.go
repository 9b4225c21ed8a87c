// SPDX-License-Identifier: BSD-2-Clause

// Count events in a region of this program.
//
//	go run region.go
package main

// #cgo pkg-config: tally
// #include <tally/region.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

func main() {
	// Counters belong to the thread that opens them.
	runtime.LockOSThread()
	events, name := C.CString("task-clock:u"), C.CString("sum")
	defer C.free(unsafe.Pointer(events))
	defer C.free(unsafe.Pointer(name))
	var regions *C.struct_tally_regions
	if ret := C.tally_regions_open(events, nil, &regions, nil); ret != 0 {
		fmt.Println("not counted:", ret)
		os.Exit(1)
	}
	defer C.tally_regions_close(regions)
	C.tally_region_start(regions, name)
	sum := uint64(0)
	for i := uint64(0); i < 1000000; i++ {
		sum += i * i
	}
	C.tally_region_stop(regions)
	var count C.struct_tally_count
	C.tally_regions_count(regions, 0, 0, &count)
	fmt.Printf("sum %d: %d ns, %s\n", sum, uint64(count.value), C.GoString(C.tally_quality_name(count.quality)))
}
