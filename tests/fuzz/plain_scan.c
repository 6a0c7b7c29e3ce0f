#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define scan_check plain_scan_check
#define scan_first plain_scan_first
#define scan_past_value plain_scan_past_value
#define scan_past_string plain_scan_past_string
#define scan_string_part plain_scan_string_part
#define scan_past_space plain_scan_past_space
#define scan_hex_digit plain_scan_hex_digit
#define scan_string plain_scan_string
#define scan_string_plain plain_scan_string_plain

#include "tests/fuzz/plain_scan.h"

/* Behind the system's headers, which ask for it too. */
#undef __x86_64__
#include "core/json/scan.c"
