// Random choices that a seed repeats.

export class Random {
	constructor(seed) {
		// Seeds are small numbers in a row: spread them first.
		this.state = Math.imul(seed + 1, 0x9e3779b1);
	}

	/** From 0 up to, and without, 1 (mulberry32). */
	next() {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	}

	/** From 0 up to, and without, n. */
	int(n) {
		return Math.floor(this.next() * n);
	}

	chance(p) {
		return this.next() < p;
	}

	pick(list) {
		return list[this.int(list.length)];
	}

	/** A key of an object whose values are weights. */
	weighted(weights) {
		let at = this.next() * Object.values(weights).reduce((a, b) => a + b);
		for (const [key, weight] of Object.entries(weights)) {
			at -= weight;
			if (at < 0)
				return key;
		}
		return Object.keys(weights)[0];
	}

	/** A value of an object whose values are [weight, value]. */
	row(table) {
		return table[this.weighted(Object.fromEntries(Object.entries(table).map(([key, [weight]]) => [key, weight])))][1];
	}

	hex(n) {
		return Array.from({ length: n }, () => this.int(16).toString(16)).join("");
	}

	/** Up to `most` results of make(). */
	some(most, make) {
		return Array.from({ length: this.int(most + 1) }, () => make());
	}

	shuffle(list) {
		for (let i = list.length - 1; i > 0; i--) {
			const k = this.int(i + 1);
			[list[i], list[k]] = [list[k], list[i]];
		}
		return list;
	}
}
