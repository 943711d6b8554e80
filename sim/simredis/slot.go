package simredis

import "strings"

// Slots is the number of hash slots of a Redis Cluster.
const Slots = 16384

// Slot returns the hash slot of a key or of a sharded channel, from 0: the CRC16 of its hash tag, which is the
// text between the first '{' and the next '}', or of all of it if it has no tag.
func Slot(key string) int {
	if _, after, found := strings.Cut(key, "{"); found {
		if tag, _, closed := strings.Cut(after, "}"); closed && tag != "" {
			key = tag
		}
	}
	return int(crc16(key) % Slots)
}

// crc16 returns the CRC16 of XMODEM: the polynomial is 1021, from 0, most significant bit first.
func crc16(s string) (sum uint16) {
	for i := range len(s) {
		sum ^= uint16(s[i]) << 8
		for range 8 {
			carry := sum & 0x8000
			if sum <<= 1; carry != 0 {
				sum ^= 0x1021
			}
		}
	}
	return sum
}
