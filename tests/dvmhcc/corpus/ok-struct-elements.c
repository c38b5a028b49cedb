/* Elements that are structures, with fields, nested structures and vectors in them. */
#include <stdio.h>

#define N 21

typedef struct {
    double x, y;
} point_t;

struct particle {
    point_t place;
    float mass[3];
    int charge;
};

#pragma dvm array distribute[block] shadow[1]
struct particle P[N];
#pragma dvm array align([i] with P[i])
point_t force[N];

int main(void) {
    double largest = 0;
    long charges = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on P[i])
        for (int i = 0; i < N; i++) {
            P[i].place.x = i * 0.25;
            P[i].place.y = -i;
            P[i].charge = i % 3 - 1;
            for (int k = 0; k < 3; k++)
                P[i].mass[k] = (float)(i + k);
        }
#pragma dvm parallel([i] on P[i]) shadow_renew(P)
        for (int i = 1; i < N - 1; i++) {
            point_t f = {0, 0};
            f.x += P[i + 1].place.x - P[i - 1].place.x;
            f.y += P[i].charge * P[i].mass[1];
            force[i] = f;
        }
#pragma dvm parallel([i] on P[i]) reduction(max(largest), sum(charges))
        for (int i = 1; i < N - 1; i++) {
            const struct particle p = P[i];
            if (force[i].x - force[i].y > largest)
                largest = force[i].x - force[i].y;
            charges += p.charge * (i + 1);
        }
    }
#pragma dvm get_actual(largest, charges, P)
    printf("%.17g %ld\n", largest, charges);
#pragma dvm remote_access(P[5])
    {
        printf("%g %g %d %g\n", P[5].place.x, P[5].place.y, P[5].charge, P[5].mass[2]);
    }
    return 0;
}
