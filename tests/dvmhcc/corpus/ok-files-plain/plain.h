#ifndef PLAIN_H
#define PLAIN_H

#pragma dvm routine
double plain(int i);

void print_result(double x);

#endif
