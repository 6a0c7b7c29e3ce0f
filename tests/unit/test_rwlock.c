#include "core/base/rwlock.h"
#include "tests/unit/test.h"

#define READERS 6
#define ROUNDS 2000

struct shared {
	pthread_rwlock_t lock;
	unsigned a;
	unsigned b; /* always the same, to who holds the lock */
	unsigned apart;
	bool over;
};

static void *read_both(void *data)
{
	struct shared *s = data;
	bool over = false;
	while (!over) {
		pthread_rwlock_rdlock(&s->lock);
		if (s->a != s->b)
			__atomic_add_fetch(&s->apart, 1, __ATOMIC_RELAXED);
		over = s->over;
		pthread_rwlock_unlock(&s->lock);
	}
	return NULL;
}

/* Readers come without end, and writers get in all the same. */
static void *write_both(void *data)
{
	struct shared *s = data;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_wrlock(&s->lock);
		s->a++;
		s->b++;
		pthread_rwlock_unlock(&s->lock);
	}
	return NULL;
}

int main(void)
{
	static struct shared s;
	pthread_t readers[READERS];
	pthread_t writers[2];
	CHECK_INT(rwlock_init(&s.lock), 0);
	for (int i = 0; i < READERS; i++)
		CHECK_INT(pthread_create(&readers[i], NULL, read_both, &s), 0);
	for (int i = 0; i < 2; i++)
		CHECK_INT(pthread_create(&writers[i], NULL, write_both, &s), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(writers[i], NULL);
	pthread_rwlock_wrlock(&s.lock);
	s.over = true;
	pthread_rwlock_unlock(&s.lock);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	CHECK_INT(s.a, 2 * ROUNDS);
	CHECK_INT(s.b, 2 * ROUNDS);
	CHECK_INT(s.apart, 0);
	pthread_rwlock_destroy(&s.lock);
	return test_done("rwlock");
}
