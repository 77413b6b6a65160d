package formats

import (
	"encoding/binary"
	"errors"
)

// The headers of Parquet are Thrift structs in the compact protocol. The library
// makes room for as many list items and text bytes as a header claims before it
// looks for them, so a header is walked first: every item must be there.

var (
	errThrift = errors.New("its header is damaged")
	errShort  = errors.New("its header ends early")
)

const (
	thriftDepth = 32 // structs and lists inside each other; Parquet needs about ten

	// A row group's column chunks take about 60 bytes each in the footer, and
	// near a kilobyte when they are decoded.
	chunkListDepth = 2
	chunkListFree  = 16
	chunkBytes     = 16
)

type thriftWalk struct {
	b  []byte
	at int
}

// thriftLen is the length of the struct at the start of b. It is errShort when b
// ends inside the struct.
func thriftLen(b []byte) (int, error) {
	w := &thriftWalk{b: b}
	err := w.structure(0, 0)
	return w.at, err
}

func (w *thriftWalk) byte() (byte, error) {
	if w.at >= len(w.b) {
		return 0, errShort
	}
	w.at++
	return w.b[w.at-1], nil
}

func (w *thriftWalk) uvarint() (uint64, error) {
	u, n := binary.Uvarint(w.b[w.at:])
	if n == 0 {
		return 0, errShort
	}
	if n < 0 {
		return 0, errThrift
	}
	w.at += n
	return u, nil
}

func (w *thriftWalk) bytes(n uint64) error {
	if n > uint64(len(w.b)-w.at) {
		return errShort
	}
	w.at += int(n)
	return nil
}

// structure walks a struct; lists counts the lists around it.
func (w *thriftWalk) structure(depth, lists int) error {
	if depth > thriftDepth {
		return errThrift
	}
	for {
		b, err := w.byte()
		if err != nil {
			return err
		}
		if b&0xf == 0 {
			return nil
		}
		if b>>4 == 0 { // the number of the field follows
			if _, err := w.uvarint(); err != nil {
				return err
			}
		}
		if kind := b & 0xf; kind > 2 { // 1 and 2 are true and false, told by the field
			if err := w.value(kind, depth+1, lists); err != nil {
				return err
			}
		}
	}
}

func (w *thriftWalk) value(kind byte, depth, lists int) error {
	switch kind {
	case 1, 2, 3: // a truth value in a list, a byte
		return w.bytes(1)
	case 4, 5, 6:
		_, err := w.uvarint()
		return err
	case 7:
		return w.bytes(8)
	case 8:
		n, err := w.uvarint()
		if err != nil {
			return err
		}
		return w.bytes(n)
	case 9, 10:
		return w.list(depth, lists+1)
	case 11:
		return w.mapping(depth, lists+1)
	case 12:
		return w.structure(depth, lists)
	}
	return errThrift
}

func (w *thriftWalk) list(depth, lists int) error {
	b, err := w.byte()
	if err != nil || depth > thriftDepth {
		return errors.Join(err, deeper(depth))
	}
	n, kind := uint64(b>>4), b&0xf
	if n == 15 {
		if n, err = w.uvarint(); err != nil {
			return err
		}
	}
	if n > uint64(len(w.b)-w.at) {
		return errShort // every item takes a byte at least
	}
	if kind == 12 && lists == chunkListDepth && n > chunkListFree && n*chunkBytes > uint64(len(w.b)-w.at) {
		return errShort
	}
	for range n {
		if err := w.value(kind, depth+1, lists); err != nil {
			return err
		}
	}
	return nil
}

func (w *thriftWalk) mapping(depth, lists int) error {
	n, err := w.uvarint()
	if err != nil || n == 0 {
		return err
	}
	b, err := w.byte()
	if err != nil || depth > thriftDepth {
		return errors.Join(err, deeper(depth))
	}
	if n > uint64(len(w.b)-w.at) {
		return errShort
	}
	for range n {
		if err := w.value(b>>4, depth+1, lists); err != nil {
			return err
		}
		if err := w.value(b&0xf, depth+1, lists); err != nil {
			return err
		}
	}
	return nil
}

func deeper(depth int) error {
	if depth > thriftDepth {
		return errThrift
	}
	return nil
}
