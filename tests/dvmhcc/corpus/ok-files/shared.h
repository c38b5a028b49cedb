/* What the files share. */
#ifndef SHARED_H
#define SHARED_H

#define N 14
#define M 9

#pragma dvm array distribute[block][block] shadow[1][1:1]
extern double A[N][M];
#pragma dvm array align([i][j] with A[i][j])
extern double B[N][M];

#pragma dvm routine
double value(int i, int j);

#pragma dvm inherit(to, from)
void smooth(double (*to)[M], double (*from)[M]);

void allocate(int n);
void release(void);
int others(void);

#endif
