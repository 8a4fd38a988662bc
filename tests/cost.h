/* cost.h - what more work costs, whatever else the machine does meanwhile

       CHECK(cost_grows(seconds, &work, 1000, 4000, 9));

   Four times the work takes about four times as long; the square would be sixteen times. Other
   programs make some tries slower and none faster: the best try of each size counts, and both are
   tried again until they are in proportion. */
#ifndef COST_H
#define COST_H

#include "test.h"

#include <time.h>

typedef double cost_seconds(const void *work, size_t n); /* what so much of it takes */

static TEST__UNUSED double cost_since(clock_t from) {
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static TEST__UNUSED bool cost_grows(cost_seconds *seconds, const void *work, size_t less,
                                    size_t more, double factor) {
    double small = 1e9, large = 1e9;
    for (int i = 0; i < 30; i++) {
        double s = seconds(work, less), l = seconds(work, more);
        if (s < small) small = s;
        if (l < large) large = l;
        if (i && large < factor * small + 0.02) return true;
    }
    printf("    %g s for %lu, %g s for %lu\n", small, (unsigned long)less, large,
           (unsigned long)more);
    return false;
}

#endif
