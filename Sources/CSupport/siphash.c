// SPDX-License-Identifier: MIT

#include "csupport.h"

#include <string.h>

static inline uint64_t rotate_left(uint64_t word, int bits) { return (word << bits) | (word >> (64 - bits)); }

static inline uint64_t load_little_endian(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static inline void store_little_endian(uint8_t *bytes, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  memcpy(bytes, &word, sizeof word);
}

typedef struct {
  uint64_t a, b, c, d;
} sip_state;

static inline void sip_rounds(sip_state *s, int rounds) {
  while (rounds-- > 0) {
    s->a += s->b;
    s->b = rotate_left(s->b, 13) ^ s->a;
    s->a = rotate_left(s->a, 32);
    s->c += s->d;
    s->d = rotate_left(s->d, 16) ^ s->c;
    s->a += s->d;
    s->d = rotate_left(s->d, 21) ^ s->a;
    s->c += s->b;
    s->b = rotate_left(s->b, 17) ^ s->c;
    s->c = rotate_left(s->c, 32);
  }
}

static inline void sip_absorb(sip_state *s, uint64_t word) {
  s->d ^= word;
  sip_rounds(s, 2);
  s->a ^= word;
}

void cs_siphash128(const void *input, size_t length, const uint8_t key[16], uint8_t digest[16]) {
  const uint8_t *bytes = input;
  const uint64_t key0 = load_little_endian(key), key1 = load_little_endian(key + 8);
  sip_state state = {0x736f6d6570736575ULL ^ key0, 0x646f72616e646f6dULL ^ key1 ^ 0xee,
                     0x6c7967656e657261ULL ^ key0, 0x7465646279746573ULL ^ key1};
  const size_t whole = length & ~(size_t)7;
  for (size_t at = 0; at < whole; at += 8) sip_absorb(&state, load_little_endian(bytes + at));
  uint8_t tail[8] = {0};
  if (length > whole) memcpy(tail, bytes + whole, length - whole);
  tail[7] = (uint8_t)length;
  sip_absorb(&state, load_little_endian(tail));
  state.c ^= 0xee;
  sip_rounds(&state, 4);
  store_little_endian(digest, state.a ^ state.b ^ state.c ^ state.d);
  state.b ^= 0xdd;
  sip_rounds(&state, 4);
  store_little_endian(digest + 8, state.a ^ state.b ^ state.c ^ state.d);
}

void cs_digest(const void *bytes, size_t length, uint8_t digest[16]) {
  static const uint8_t key[16] = {'f', 'o', 'l', 'l', 'o', 'w', 's', 'p', 'o', 't', ' ', 'd', 'i', 'g', 's', 't'};
  cs_siphash128(bytes, length, key, digest);
}

void cs_digest_hexadecimal(const void *bytes, size_t length, char digits[33]) {
  uint8_t digest[16];
  cs_digest(bytes, length, digest);
  for (int index = 0; index < 16; index++) {
    digits[index * 2] = "0123456789abcdef"[digest[index] >> 4];
    digits[index * 2 + 1] = "0123456789abcdef"[digest[index] & 15];
  }
  digits[32] = 0;
}
