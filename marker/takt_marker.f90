! SPDX-License-Identifier: MIT
! Regions for `takt count` in Fortran; takt/marker.h says more.
!
!     use takt_marker
!     call takt_marker_start("solve")
module takt_marker
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  implicit none
  private
  public :: takt_marker_init, takt_marker_thread_init, takt_marker_close
  public :: takt_marker_register, takt_marker_start, takt_marker_stop

  interface
    subroutine takt_marker_init() bind(c, name="takt_marker_init")
    end subroutine
    subroutine takt_marker_thread_init() bind(c, name="takt_marker_thread_init")
    end subroutine
    subroutine takt_marker_close() bind(c, name="takt_marker_close")
    end subroutine
    subroutine c_register(region) bind(c, name="takt_marker_register")
      import :: c_char
      character(kind=c_char), intent(in) :: region(*)
    end subroutine
    subroutine c_start(region) bind(c, name="takt_marker_start")
      import :: c_char
      character(kind=c_char), intent(in) :: region(*)
    end subroutine
    subroutine c_stop(region) bind(c, name="takt_marker_stop")
      import :: c_char
      character(kind=c_char), intent(in) :: region(*)
    end subroutine
  end interface

contains

  subroutine takt_marker_register(region)
    character(len=*), intent(in) :: region
    call c_register(trim(region) // c_null_char)
  end subroutine

  subroutine takt_marker_start(region)
    character(len=*), intent(in) :: region
    call c_start(trim(region) // c_null_char)
  end subroutine

  subroutine takt_marker_stop(region)
    character(len=*), intent(in) :: region
    call c_stop(trim(region) // c_null_char)
  end subroutine
end module
