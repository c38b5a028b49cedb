/* Module initialisers as converted programs have them: static C++ objects made from the addresses of C
 * functions. The C part, test_module_init_main.c, has the functions and main. */
#include <dvmhlib2.h>

extern "C" {
void init_one(void);
void finish_one(void);
void init_two(void);
void init_late(void);
void finish_late(void);
void load_late(void);
int check_class(void);
}

static DvmhModuleInitializer object_one(init_one, finish_one);
static DvmhModuleInitializer object_two(init_two);

/* As a library loaded at run time does it: the object is made after the start. */
void load_late(void) {
    static DvmhModuleInitializer object_late(init_late, finish_late);
}

namespace {
/* Reaches what only the library and derived classes may see. */
class Inspector : public DvmhModuleInitializer {
  public:
    Inspector() : DvmhModuleInitializer(init_two) {}
    static bool listIsAsMade() { return head == &object_two; }
};
} // namespace

/* Before the start: objects are listed, the one made last first; size is three pointers. */
int check_class(void) {
    return Inspector::listIsAsMade() && sizeof(Inspector) == 3 * sizeof(void *);
}
