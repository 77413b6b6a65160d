//go:build !unix || solaris || netbsd || openbsd

package main

import "errors"

func freeDisk(string) (uint64, error) {
	return 0, errors.New("this system does not tell how much space is free")
}
